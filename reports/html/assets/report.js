// The page is complete without this script, which adds filters, links to what is
// shown, copying, and colors in frames. It makes elements and sets text; it never
// makes markup of a text.
(() => {
  "use strict";
  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
  const make = (name, attributes = {}, ...children) => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const picture = (name) => {
    const space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    svg.setAttribute("class", "i");
    svg.setAttribute("aria-hidden", "true");
    const use = document.createElementNS(space, "use");
    use.setAttribute("href", "#i-" + name);
    svg.append(use);
    return svg;
  };
  const number = (n) => n.toLocaleString("en-US");
  const say = (text) => { $("#said").textContent = text; };

  if (!$("#filters")) return; // nothing was found

  // What is filtered: items within blocks, reasons and suites, within sections.
  const items = $$(".item").map((element) => ({ element, ...element.dataset, columns: element.dataset.columns.split(" "), text: null }));
  const boxes = $$(".block, .reason, .list, .kind, .rest, .group");
  const filter = { status: "", level: "", suite: "", column: "", q: "" };
  const fields = { level: $("#level"), suite: $("#suite"), column: $("#column"), q: $("#q") };
  const tabs = $$(".tabs button");

  const textOf = (item) => {
    if (item.text === null) item.text = item.element.textContent.toLowerCase();
    return item.text;
  };
  const matches = (item, words) =>
    (!filter.status || item.status === filter.status) && (!filter.level || item.level === filter.level) &&
    (!filter.suite || item.suite === filter.suite) && (!filter.column || item.columns.includes(filter.column)) &&
    words.every((word) => textOf(item).includes(word));
  const findings = (item) => (filter.column ? 1 : item.columns.length);

  const apply = () => {
    const words = filter.q.toLowerCase().split(/\s+/).filter(Boolean);
    const narrow = filter.level || filter.suite || filter.column || filter.q;
    let shown = 0, all = 0;
    const inside = new Set();
    for (const item of items) {
      const yes = matches(item, words);
      all += item.columns.length;
      if (yes) {
        shown += findings(item);
        for (let box = item.element.parentElement; box && box.id !== "results"; box = box.parentElement) inside.add(box);
      }
      item.element.hidden = !yes;
    }
    for (const box of boxes) box.hidden = !inside.has(box);
    // A block keeps its first finding, which holds the rule for the others.
    for (const block of $$(".block")) {
      if (!block.hidden) block.firstElementChild.hidden = false;
      const also = $(".also", block);
      if (also) also.hidden = !inside.has(also);
    }
    if (narrow || filter.status === "pass" || filter.status === "inapplicable") {
      for (const box of $$(".rest")) if (!box.hidden) box.open = true;
    }
    if (filter.q || (filter.suite && filter.status)) for (const box of $$(".reason")) if (!box.hidden) box.open = true;
    if (filter.column) for (const box of $$("details.column")) if (box.dataset.columns.split(" ").includes(filter.column)) box.open = true;
    for (const tab of tabs) tab.setAttribute("aria-pressed", String(tab.dataset.status === filter.status));
    for (const [name, field] of Object.entries(fields)) if (field.value !== filter[name]) field.value = filter[name];
    const narrowed = narrow || filter.status;
    $("#found").textContent = (narrowed ? `${number(shown)} of ${number(all)}` : number(all)) + (all === 1 ? " finding" : " findings");
    $("#clear").hidden = !narrowed;
    $("#nothing").hidden = shown > 0;
  };

  // The filters stand in the address, so that a view can be sent to others.
  const address = () => {
    const parts = new URLSearchParams(Object.entries(filter).filter(([, value]) => value)).toString();
    return parts ? "#?" + parts : location.pathname + location.search;
  };
  const change = (values) => {
    Object.assign(filter, values);
    apply();
    history.replaceState(null, "", address());
  };
  const none = { status: "", level: "", suite: "", column: "", q: "" };
  const visit = () => {
    const hash = location.hash;
    if (hash.startsWith("#?")) {
      const given = new URLSearchParams(hash.slice(2));
      Object.assign(filter, none);
      for (const name of Object.keys(none)) {
        const field = fields[name];
        const value = given.get(name) || "";
        const known = name === "q" || (name === "status" ? tabs.some((tab) => tab.dataset.status === value) : [...field.options].some((o) => o.value === value));
        if (known) filter[name] = value;
      }
      apply();
      return;
    }
    let target = null;
    try { target = hash.length > 1 && document.getElementById(decodeURIComponent(hash.slice(1))); } catch { /* not one of ours */ }
    if (target) reveal(target);
    else if (hash.length > 1) $("#found").textContent = `There is no finding ${hash.slice(1)} in this report; all are shown.`;
  };
  const reveal = (target) => {
    if (target.closest("[hidden]")) { Object.assign(filter, none); apply(); }
    for (let box = target; box; box = box.parentElement) if (box.tagName === "DETAILS") box.open = true;
    // The browser moves the focus to what an address names, if that can have it.
    if (!target.hasAttribute("tabindex")) target.tabIndex = -1;
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block: "start" });
  };

  for (const tab of tabs) tab.addEventListener("click", () => change({ status: tab.dataset.status }));
  for (const name of ["level", "suite", "column"]) fields[name].addEventListener("change", () => change({ [name]: fields[name].value }));
  let waiting = 0;
  fields.q.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => change({ q: fields.q.value.trim() }), 80);
  });
  $("#clear").addEventListener("click", () => { change({ ...none }); fields.q.focus(); });
  $("#filters").addEventListener("submit", (event) => event.preventDefault());
  $("#open-all").addEventListener("click", (event) => {
    const open = event.target.textContent === "Open all";
    for (const box of $$("details")) if (!box.closest("[hidden]")) box.open = open;
    event.target.textContent = open ? "Close all" : "Open all";
  });
  for (const cell of $$(".cell")) {
    if (!cell.dataset.status) continue;
    const wanted = { suite: cell.dataset.suite, status: cell.dataset.status };
    if (cell.dataset.column && fields.column.options.length > 2) wanted.column = cell.dataset.column;
    const link = make("a", { class: "cell", href: "#?" + new URLSearchParams(wanted) }, ...cell.childNodes);
    link.addEventListener("click", () => setTimeout(() => $("#results").scrollIntoView(), 0));
    cell.replaceWith(link);
  }

  // Frames get their colors and buttons when somebody looks at them.
  const copy = async (text, button, word) => {
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch { // a page over plain HTTP has no clipboard
      const area = make("textarea", { class: "sr" });
      area.value = text;
      document.body.append(area);
      area.select();
      done = document.execCommand("copy");
      area.remove();
      button.focus();
    }
    say(done ? "Copied" : "Copying is not allowed here");
    if (!done) return;
    button.classList.add("done");
    button.replaceChildren(word, picture("pass"));
    setTimeout(() => { button.classList.remove("done"); button.replaceChildren(word, picture("copy")); }, 1500);
  };
  const copyButton = (label, text, word = "") => {
    const button = make("button", { type: "button", class: "copy", "aria-label": label, title: label }, word, picture("copy"));
    button.addEventListener("click", () => copy(text(), button, word));
    return button;
  };
  // Lines of an HTTP head stay plain.
  const token = /^[A-Z][A-Za-z0-9-]*: .*$|("(?:[^"\\]|\\.)*")(\s*:)?|-?\b\d[\d.eE+-]*\b|\b(?:true|false|null)\b/gm;
  const longest = 60000;
  const color = (node) => {
    const text = node.nodeValue;
    const parts = document.createDocumentFragment();
    let at = 0;
    for (const found of text.matchAll(token)) {
      if (!found[1] && /^[A-Z]/.test(found[0])) continue;
      const word = found[1] || found[0];
      parts.append(text.slice(at, found.index), make("span", { class: found[2] ? "k" : found[1] ? "s" : "v" }, word));
      at = found.index + word.length;
    }
    parts.append(text.slice(at));
    node.replaceWith(parts);
  };
  const dress = (box) => {
    if (box.dataset.dressed) return;
    box.dataset.dressed = "yes";
    for (const command of $$(".copyable", box)) command.append(copyButton("Copy the command", () => $(".command", command).textContent));
    for (const frame of $$(".frame", box)) {
      if (frame.dataset.dressed || frame.closest("details") !== box) continue;
      frame.dataset.dressed = "yes";
      const pre = $("pre", frame);
      const curl = frame.dataset.command;
      $("figcaption", frame).append(...(curl ? [copyButton("Copy as a curl command", () => curl, "curl ")] : []), copyButton("Copy the frame", () => pre.textContent));
      if (pre.textContent.length > longest || !/[{[]\n/.test(pre.textContent)) continue;
      const walker = document.createTreeWalker(pre, NodeFilter.SHOW_TEXT);
      const nodes = [];
      while (walker.nextNode()) if (!walker.currentNode.parentElement.closest(".gap")) nodes.push(walker.currentNode);
      nodes.forEach(color);
    }
    for (const marked of $$("mark", box)) {
      if (marked.closest("details") !== box) continue;
      const pre = marked.parentElement;
      if (marked.offsetTop + marked.offsetHeight > pre.offsetTop + pre.clientHeight) pre.scrollTop = marked.offsetTop - pre.offsetTop - pre.clientHeight / 3;
    }
    const meta = box.classList.contains("item") && $("dl.terms", box);
    if (meta) {
      const link = make("a", { href: "#" + box.id }, "link to this finding");
      meta.append(make("dt", {}, "Link"), make("dd", {}, link));
    }
  };
  document.addEventListener("toggle", (event) => { if (event.target.open) dress(event.target); }, true);
  for (const box of $$("details[open]")) dress(box);

  // Keys, where nobody is typing.
  const move = (by) => {
    const all = $$(".item > summary").filter((summary) => summary.offsetParent);
    if (!all.length) return;
    const active = document.activeElement;
    const now = all.findIndex((summary) => summary === active || summary.parentElement === active);
    const next = all[Math.min(Math.max(now < 0 ? (by > 0 ? 0 : all.length - 1) : now + by, 0), all.length - 1)];
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") { if (!$("#clear").hidden) change({ ...none }); return; }
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === "/") { event.preventDefault(); fields.q.focus(); fields.q.select(); }
    if (event.key === "j") move(1);
    if (event.key === "k") move(-1);
  });

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = $$(".block details:not(.column), details.rest").filter((box) => !box.open && !box.closest(".passed, [hidden]"));
    for (const box of closed) box.open = true;
  });
  addEventListener("afterprint", () => { for (const box of closed) box.open = false; });
  addEventListener("hashchange", visit);

  $("#filters").hidden = false;
  $(".keys").hidden = false;
  apply();
  visit();
})();
