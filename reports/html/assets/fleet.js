// The page is complete without this script, which adds filters, an order by column, and
// links to what is shown. It makes elements and sets text; it never makes markup of a text.
(() => {
  "use strict";
  const $ = (selector, from = document) => from.querySelector(selector);
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
  const number = (n) => n.toLocaleString("en-US");

  const body = $(".fleet tbody");
  const heads = $$(".fleet thead th");
  const rows = $$("tr", body).map((element, place) => ({
    element, place, status: element.dataset.status, rules: element.dataset.rules.split(" "), text: null,
  }));
  const none = { status: "", rule: "", q: "", sort: "" };
  const filter = { ...none };
  const fields = { rule: $("#rule"), q: $("#q") };
  const tabs = $$(".tabs button");

  const textOf = (row) => {
    if (row.text === null) row.text = row.element.textContent.toLowerCase();
    return row.text;
  };
  const keyOf = (row, column) => {
    const cell = row.element.cells[column];
    const key = cell.dataset.key ?? cell.textContent;
    return heads[column].classList.contains("num") || cell.dataset.key ? Number(key) : key;
  };
  let sorted = "";
  const sort = () => {
    if (filter.sort === sorted) return;
    sorted = filter.sort;
    const column = Math.abs(Number(sorted)) - 1, by = sorted.startsWith("-") ? -1 : 1;
    if (sorted) for (const row of rows) row.key = keyOf(row, column);
    const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    rows.sort((a, b) => (sorted && by * compare(a.key, b.key)) || a.place - b.place);
    body.append(...rows.map((row) => row.element));
    heads.forEach((head, i) => {
      if (sorted && i === column) head.setAttribute("aria-sort", by > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
  };

  const apply = () => {
    const words = filter.q.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const yes = (!filter.status || row.status === filter.status) && (!filter.rule || row.rules.includes(filter.rule)) &&
        words.every((word) => textOf(row).includes(word));
      if (row.element.hidden === yes) row.element.hidden = !yes;
      if (yes) shown++;
    }
    sort();
    for (const tab of tabs) tab.setAttribute("aria-pressed", String(tab.dataset.status === filter.status));
    for (const [name, field] of Object.entries(fields)) if (field.value !== filter[name]) field.value = filter[name];
    const narrowed = filter.status || filter.rule || filter.q;
    $("#found").textContent = (narrowed ? `${number(shown)} of ${number(rows.length)}` : number(rows.length)) + (rows.length === 1 ? " server" : " servers");
    $("#clear").hidden = !narrowed;
    $("#nothing").hidden = shown > 0;
  };

  // The filters and the order stand in the address, so that a view can be sent to others.
  const change = (values) => {
    Object.assign(filter, values);
    apply();
    const parts = new URLSearchParams(Object.entries(filter).filter(([, value]) => value)).toString();
    history.replaceState(null, "", parts ? "#?" + parts : location.pathname + location.search);
  };
  const visit = () => {
    const given = new URLSearchParams(location.hash.startsWith("#?") ? location.hash.slice(2) : "");
    Object.assign(filter, none);
    filter.q = given.get("q") || "";
    if (tabs.some((tab) => tab.dataset.status === given.get("status"))) filter.status = given.get("status");
    if ([...fields.rule.options].some((option) => option.value === given.get("rule"))) filter.rule = given.get("rule");
    const order = given.get("sort") || "";
    if (/^-?[1-9]$/.test(order) && heads[Math.abs(Number(order)) - 1]) filter.sort = order;
    apply();
  };

  heads.forEach((head, i) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    const up = String(i + 1), down = String(-i - 1);
    const first = head.classList.contains("num") ? down : up; // of counts, the many come first
    button.addEventListener("click", () => change({ sort: filter.sort === first ? (first === up ? down : up) : first }));
  });
  for (const tab of tabs) tab.addEventListener("click", () => change({ status: tab.dataset.status }));
  fields.rule.addEventListener("change", () => change({ rule: fields.rule.value }));
  let typing = 0;
  fields.q.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => change({ q: fields.q.value }), 80);
  });
  $("#clear").addEventListener("click", () => change({ ...none, sort: filter.sort }));
  $("#filters").addEventListener("submit", (event) => event.preventDefault());
  for (const place of $$(".rule")) {
    const link = document.createElement("a");
    link.href = "#?rule=" + place.dataset.rule;
    link.append(...place.childNodes);
    place.append(link);
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && !$("#clear").hidden) change({ ...none, sort: filter.sort });
    if (event.key !== "/" || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    event.preventDefault();
    fields.q.focus();
    fields.q.select();
  });
  addEventListener("hashchange", visit);

  $("#filters").hidden = false;
  visit();
})();
