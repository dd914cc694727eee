package schemas

// Patterns of the schemas of this package that have a name. A finding says the name: few
// readers know a form by its regular expression.
const (
	timestampPattern = `^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]` +
		`([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$`
	mediaTypePattern = `^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*(\s*;.*)?$`
	webPattern       = "^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/?#<>\"{}|\\\\^`]+([/?#][^\\s<>\"{}|\\\\^`]*)?$"
	securePattern    = "^[Hh][Tt][Tt][Pp][Ss]://[^\\s/?#<>\"{}|\\\\^`]+([/?#][^\\s<>\"{}|\\\\^`]*)?$"

	mediaRangePattern = `^([A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*/([A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*|\*)|\*/\*)(\s*;.*)?$`

	timestampWords = "an RFC 3339 timestamp such as 2026-01-31T12:00:00Z"
	uriWords       = "an absolute URI such as https://example.com/a"
)

// patternWords says in words what some patterns match.
func patternWords() map[string]string {
	return map[string]string{
		timestampPattern: timestampWords,
		mediaTypePattern: "a media type such as text/csv",
		webPattern:       "an http or https URL such as https://example.com/a",
		securePattern:    "an https URL such as https://example.com/a",

		mediaRangePattern:           "a media type or range such as image/png or image/*",
		`^application/json\s*(;|$)`: "application/json, with or without parameters",
		`^text/markdown\s*(;|$)`:    "text/markdown, with or without parameters",

		`^[A-Za-z][A-Za-z0-9+.-]*:\S+$`:                  uriWords,
		`^[A-Za-z][A-Za-z0-9+.-]*:[^\s]+$`:               uriWords,
		"^[A-Za-z][A-Za-z0-9+.-]*:[^\\s<>\"{}|\\\\^`]+$": uriWords,

		`^((GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \S+|[Hh][Tt][Tt][Pp][Ss]?://\S+)`: "a method and a path such as GET /a, or a web address",

		`^([A-Za-z][A-Za-z0-9+.-]*://[^\s/]\S*|[\w.-]+@[\w.-]+:\S+)$`: "the address of a repository such as https://example.com/a.git",

		`^[0-9]+\.[0-9]+\.[0-9]+`: "a version such as 1.0.0",

		`^(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}([-+][0-9A-Za-z.+-]+)?$`: "a semantic version such as 1.0.0 or 1.0.0-beta.1",

		`^[0-9]{4}(-?(0[1-9]|1[0-2])(-?(0[1-9]|[12][0-9]|3[01]))?)?([T ].*)?$`: "an ISO 8601 date such as 2026-01-31",

		`^([0-9A-Fa-f]{64}|[0-9A-Fa-f]{32})$`:       "a digest of 32 or 64 hexadecimal digits",
		`^([0-9A-Fa-f]{40}|[0-9A-Fa-f]{64})$`:       "a commit of 40 or 64 hexadecimal digits",
		`^[0-9A-Fa-f]{7,}$`:                         "a commit of at least 7 hexadecimal digits",
		`^[A-Za-z_][A-Za-z0-9_]*$`:                  "a name of letters, digits and _ that does not begin with a digit",
		`^[a-z][a-z0-9_]*$`:                         "a name of small letters, digits and _ that begins with a letter",
		`^[a-z0-9-]{1,64}$`:                         "1 to 64 small letters, digits and hyphens",
		`^[A-Za-z0-9_:.-]{1,128}$`:                  "1 to 128 letters, digits, _ : . and -",
		`^[A-Za-z0-9_.-]{1,128}$`:                   "1 to 128 letters, digits, _ . and -",
		`^[!-~]{16,}$`:                              "at least 16 visible characters of ASCII, without blanks",
		`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`:             "a name in capital letters such as NOT_FOUND",
		`^[A-Za-z0-9+/_-]+(\.[A-Za-z0-9+/_-]+)*=*$`: "base64 or base64url text, in one or more parts with dots between them",
	}
}

// formatWords says in words what the format of a string is.
func formatWords() map[string]string {
	return map[string]string{
		"date-time": timestampWords,
		"date":      "a date such as 2026-01-31",
		"uri":       uriWords,
	}
}
