package elicitation

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/protocol"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// urlCases judge the URLs that a user is asked to visit.
func urlCases() []suite.Case {
	const asked = "an elicitation by URL"
	return questions.Watchers("elicitation",
		questions.Row{
			Slug: "url-fields", Title: "an elicitation by URL has a message, a URL and, where the revision has one, an id",
			Rule: "elicitation-url-fields", Asks: questions.Elicitation, Sees: asked, Owns: []string{"/url", "/elicitationId"},
			Fix:   "send mode url with a message, a url and, at 2025-11-25, an elicitationId, all of them strings",
			Judge: urlFields,
		},
		questions.Row{
			Slug: "url-valid", Title: "the URL of an elicitation is a whole URL", Rule: "elicitation-url-valid",
			Asks: questions.Elicitation, Sees: asked, Owns: []string{"/url"},
			Fix: "write url with its scheme and its host, and escape what a URL cannot hold",
			Judge: onURL(func(text string, _ *url.URL) string {
				if whole(text) == nil {
					return "a whole URL"
				}
				return ""
			}),
		},
		questions.Row{
			Slug: "url-https", Title: "the URL of an elicitation begins with https", Rule: "elicitation-url-https",
			Asks: questions.Elicitation, Sees: asked,
			Fix: "serve the page over HTTPS, and say https in its url",
			Judge: onURL(func(_ string, u *url.URL) string {
				switch {
				case u != nil && u.Scheme == "http" && probe.Public(u.Hostname()):
					return "https, unless the host is one for development"
				case u != nil && slices.Contains([]string{"javascript", "vbscript", "data"}, u.Scheme):
					return "https, and no script or page in the URL itself"
				}
				return ""
			}),
		},
		questions.Row{
			Slug: "url-without-personal-data", Title: "the URL of an elicitation holds nothing personal of the user",
			Rule: "elicitation-url-no-personal-data", Asks: questions.Elicitation, Sees: asked,
			Fix:   "keep what is known of the user on the server, and put only an identifier that says nothing into the url",
			Judge: noPersonalData,
		},
		questions.Row{
			Slug: "url-without-login", Title: "the URL of an elicitation carries no credentials",
			Rule: "elicitation-url-not-preauthenticated", Asks: questions.Elicitation, Sees: asked,
			Fix:   "have the page ask who its visitor is, instead of logging in whoever has the url",
			Judge: noLogin,
		},
	)
}

func urlFields(q questions.Question) probe.Opinion {
	if !byURL(q) {
		return probe.Nothing()
	}
	for _, name := range []string{"message", "url", "elicitationId"} {
		if _, text := q.Params[name].(string); !text && (name != "elicitationId" || protocol.ElicitationIDs().At(q.Revision)) {
			return probe.Breaks("%s is %s, want a string", q.Shown("/"+name), probe.Show(q.Value(q.Pointer("/"+name))))
		}
	}
	return probe.Kept()
}

// onURL judges the URLs of elicitations; wanted says what is wanted instead, and is empty
// where nothing is to be said. It gets nil for a text that is no whole URL.
func onURL(wanted func(text string, u *url.URL) string) func(questions.Question) probe.Opinion {
	return func(q questions.Question) probe.Opinion {
		text, ok := q.Params["url"].(string)
		if !ok || !byURL(q) {
			return probe.Nothing()
		}
		if want := wanted(text, whole(text)); want != "" {
			return probe.Breaks("%s is %s, want %s", q.Shown("/url"), probe.Show(text), want)
		}
		return probe.Kept()
	}
}

// whole reads a URL with a scheme and, for the schemes of the web, a host.
func whole(text string) *url.URL {
	u, err := url.Parse(text)
	web := err == nil && slices.Contains([]string{"http", "https"}, u.Scheme)
	if err != nil || u.Scheme == "" || web && u.Hostname() == "" || strings.ContainsAny(text, " \t\r\n") {
		return nil
	}
	return u
}

// noLogin warns of a secret that logs nobody in by itself, and is a credential all
// the same. The key of an API may be public, as a client id is.
func noLogin(q questions.Question) probe.Opinion {
	carries := func(names ...string) func(string, *url.URL) string {
		return func(_ string, u *url.URL) string {
			if u != nil && carriesAny(u, names) {
				return "no password, no token and no secret in it"
			}
			return ""
		}
	}
	if said := onURL(carries("access_token"))(q); said.Violation() != nil {
		return said
	}
	return onURL(carries("client_secret", "refresh_token"))(q).AtMostWarn()
}

// carriesAny reports whether a URL carries a password, or a parameter of one of the names.
func carriesAny(u *url.URL, names []string) bool {
	if _, password := u.User.Password(); password {
		return true
	}
	fragment, _ := url.ParseQuery(u.Fragment)
	return slices.ContainsFunc(names, func(name string) bool { return u.Query().Get(name) != "" || fragment.Get(name) != "" })
}

// noPersonalData looks for the credentials of the request, and for an address of mail. Whose
// address it is cannot be told, so it is no more than a warning.
func noPersonalData(q questions.Question) probe.Opinion {
	text, ok := q.Params["url"].(string)
	if !ok || !byURL(q) {
		return probe.Nothing()
	}
	if plain, err := url.PathUnescape(text); err == nil {
		text = plain
	}
	for _, header := range q.Request.Header["Authorization"] {
		if _, token, ok := strings.Cut(header, " "); ok && len(token) >= 8 && strings.Contains(text, token) {
			return probe.Breaks("%s holds the credentials of the request, want nothing personal in it", q.Shown("/url"))
		}
	}
	if u := whole(text); u != nil && u.Scheme != "mailto" && mail().MatchString(u.Path+"?"+u.RawQuery+"#"+u.Fragment) {
		return probe.Breaks("%s is %s, want no address of mail in it", q.Shown("/url"), probe.Show(text)).AtMostWarn()
	}
	return probe.Kept()
}

func mail() *regexp.Regexp { return regexp.MustCompile(`[\w.+-]+@[\w-]+\.[a-zA-Z]{2,}`) }
