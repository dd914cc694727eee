/** What to judge, and how. One of command and url is needed, unless the configuration names the server. */
export interface Options {
  /** The command that serves stdio, or that serves the url. */
  command?: string[];
  /** The address of a server over Streamable HTTP. */
  url?: string;
  headers?: Record<string, string>;
  env?: Record<string, string>;
  cwd?: string;
  /** The configuration; "none" reads no file. */
  config?: string;
  /** "all", or dates of revisions, separated by commas. */
  revision?: string;
  suites?: string[];
  cases?: string[];
  /** Further flags of mcp-conform run. */
  flags?: string[];
}

export interface Finding {
  case: string;
  suite: string;
  status: "pass" | "fail" | "warn" | "skip" | "error";
  revision: string;
  transport: string;
  title?: string;
  problem?: string;
  rule?: string;
  fix?: string;
  [member: string]: unknown;
}

/** A report, as `mcp-conform schema report` describes it. */
export interface Report {
  verdict: { status: "pass" | "partial" | "fail" | "unjudged" | "interrupted"; exitCode: number; [member: string]: unknown };
  findings: Finding[];
  [member: string]: unknown;
}

export function judge(options?: Options): Promise<Report>;

/** The findings of a report that fail or warn, each as one line. */
export function complaints(report: Report): string[];
