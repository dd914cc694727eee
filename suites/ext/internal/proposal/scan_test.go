package proposal_test

import (
	"testing"

	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
)

// account is whose home directory the paths name.
const account = "harbour"

// scanned is a string and what is to be found in it: nothing, something that leaves
// no doubt, or something that may be harmless.
type scanned struct {
	name, text string
	hit, weak  bool
}

func tryScan(t *testing.T, rows []scanned, scan func(string) []proposal.Hit) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			hits := scan(row.text)
			if (len(hits) > 0) != row.hit || row.hit && hits[0].Weak != row.weak {
				t.Errorf("%q: %+v", row.text, hits)
			}
		})
	}
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	scanner := proposal.NewScanner()
	rows := []scanned{
		{name: "userinfo", text: "postgres://app:hunter2@db.harbour.example/log", hit: true},
		{name: "userinfo without a password", text: "see ssh://pilot@harbour.example/"},
		{name: "userinfo placeholder", text: "https://user:<password>@harbour.example"},
		{name: "an at sign behind the path", text: "https://harbour.example/a:b@c"},
		{name: "query", text: "GET /log?page=2&token=9f8e7d6c5b4a", hit: true},
		{name: "query in capitals", text: "https://harbour.example/?API=1&KEY=abcdef", hit: true},
		{name: "query placeholder", text: "https://harbour.example/?key=YOUR_KEY"},
		{name: "query without a value", text: "https://harbour.example/?key="},
		{name: "query of another name", text: "https://harbour.example/?monkey=banana"},
		{name: "access key", text: "AKIAQ4XJ7ZP3M5N8R2TW", hit: true},
		{name: "access key of the manual", text: "AKIAIOSFODNN7EXAMPLE"},
		{name: "access key, too short", text: "AKIA123"},
		{name: "API key", text: "used sk-4f9a8b7c6d5e4f3a2b1c", hit: true},
		{name: "live key", text: "sk_live_4f9a8b7c6d5e4f3a2b1c", hit: true},
		{name: "personal token", text: "ghp_16C7e42F292c6912E7710c838347Ae178B4a", hit: true},
		{name: "chat token", text: "xoxb-123456789012-abcdefABCDEF", hit: true},
		{name: "short key", text: "sk-123"},
		{name: "a word with a hyphen", text: "risk-assessment-of-the-harbour, task-sk-harbour-basin-plan"},
		{name: "private key", text: "-----BEGIN RSA PRIVATE KEY-----", hit: true},
		{name: "public key", text: "-----BEGIN PUBLIC KEY-----"},
		{name: "bearer", text: "Authorization: Bearer 0123456789abcdefghij", hit: true},
		{name: "bearer in prose", text: "Send a Bearer token with the request."},
		{name: "bearer in words joined", text: "send Authorization: Bearer token-of-the-harbour-master"},
		{name: "bearer placeholder", text: "Bearer your_access_token_here_please"},
		{name: "web token", text: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJib2IifQ.c2lnbmF0dXJl", hit: true},
		{name: "listed", text: "the code is barnacle-17", hit: true},
		{name: "given out", text: "the session mussel-4093 is known", hit: true},
		{name: "plain", text: "The berth A4 is taken until 12:30."},
	}
	tryScan(t, rows, func(text string) []proposal.Hit {
		return scanner.Secrets(text, []string{"", "barnacle-17"}, []string{"mussel-4093"})
	})
	for _, row := range rows {
		for _, hit := range scanner.Secrets(row.text, []string{"barnacle-17"}, nil) {
			if len([]rune(hit.Text)) > 5 {
				t.Errorf("%s shows %q", row.name, hit.Text)
			}
		}
	}
}

func TestInternals(t *testing.T) {
	t.Parallel()
	scanner := proposal.NewScanner()
	tryScan(t, []scanned{
		{name: "Python", text: "Traceback (most recent call last):\n  File \"log.py\", line 3", hit: true},
		{name: "Node", text: "Error: x\n    at exportLog (/srv/app/log.js:12:5)", hit: true},
		{name: "Node, renamed", text: "at Object.run [as call] (node:internal/vm.js:76:12)", hit: true},
		{name: "Java", text: "at com.example.Log.export(Log.java:42)", hit: true},
		{name: "Go", text: "goroutine 17 [running]:", hit: true},
		{name: "panic", text: "panic: runtime error: index out of range", hit: true},
		{name: "panic in prose", text: "There is no need to panic: try again."},
		{name: "a time in parentheses", text: "The tide turns at noon (12:30)."},
		{name: "goroutines in prose", text: "goroutine 17 is busy"},
		{name: "select", text: "SELECT id,\n name FROM berths", hit: true},
		{name: "insert", text: "INSERT INTO log VALUES (1)", hit: true},
		{name: "update", text: "UPDATE berths SET vessel = 1", hit: true},
		{name: "delete", text: "DELETE FROM berths", hit: true},
		{name: "words of a language", text: "Select a berth from the list, update the set, delete from it."},
		{name: "a permission", text: "The role lacks SELECT on this table."},
		{name: "home", text: "open /home/" + account + "/app/log.db: no such file", hit: true},
		{name: "home, quoted", text: `{"file":"/root` + `/.config"}`, hit: true},
		{name: "home as a URL", text: "file:///Users/harbour/log.db", hit: true},
		{name: "state", text: "/var/lib/harbour/log", hit: true},
		{name: "Windows", text: `C:\Users\harbour\log.db`, hit: true},
		{name: "Windows, another drive", text: `open D:\data\log.db: denied`, hit: true},
		{name: "Windows, escaped", text: `{"file":"C:\\inetpub\\wwwroot\\log.aspx"}`, hit: true},
		{name: "Windows, a short name", text: `C:\Users\b`, hit: true},
		{name: "words about paths", text: "Paths such as /etc/... are refused."},
		{name: "Windows, a file", text: `C:\pagefile.sys`, hit: true},
		{name: "share", text: `\\files\harbour\log.db is locked`, hit: true},
		{name: "share, escaped", text: `"\\\\files\\harbour\\log.db"`, hit: true},
		{name: "program", text: "/opt/harbour/log.py", hit: true},
		{name: "program, deeper", text: "exec /opt/harbour/bin/export failed", hit: true},
		{name: "service", text: "File=/srv/app/secret/saw.conf", hit: true},
		{name: "service as a URL", text: "file:///srv/harbour/log.csv", hit: true},
		{name: "configuration", text: "cannot read /etc/harbour.conf", hit: true},
		{name: "sources", text: "(/usr/src/app/x.js)", hit: true},
		{name: "function", text: "/var/task/handler.py:17", hit: true},
		{name: "logs", text: "/var/log/harbour/log", hit: true},
		{name: "process", text: "/proc/self/environ", hit: true},
		{name: "container", text: "/app/src/x.js:3:1", hit: true, weak: true},
		{name: "workspace", text: "/workspace/harbour/log.ts", hit: true, weak: true},
		{name: "pages of an app", text: "/app/login, /app/src/, /app/index.html and /workspace/42/members"},
		{name: "path of a request", text: "POST /srv/berths/A4/log.csv and GET /app/src/x.js"},
		{name: "source behind a URL", text: "https://harbour.example/opt/x/y.py, //harbour.example:80/etc/hosts and ${base}/app/src/x.js"},
		{name: "JSON pointer", text: "/arguments/etc/0, /opt/level, /srv/0/port, /var/0/log, #/etc/x and /properties/usr/local"},
		{name: "MIME types", text: "text/x-python, application/vnd.harbour+json; see also and/or/etc"},
		{name: "resource", text: "harbour://etc/log.csv, test:///log/x.py and /log/2025/x.py"},
		{name: "patterns", text: `^k:\d+\.\d+$, x:\w+ and \\d\w\s or \\alpha\beta`},
		{name: "path of a URL", text: "https://harbour.example/home/berths and https://harbour.example:80/Users/7"},
		{name: "path of an API", text: "GET /users/7, ./home/x, ~/home/y, /homepage"},
		{name: "private address", text: "dial tcp 10.0.3.7:5432", hit: true},
		{name: "private address, other ranges", text: "192.168.4.2", hit: true},
		{name: "link-local", text: "http://169.254.169.254/latest", hit: true},
		{name: "unique local", text: "fd12:3456:789a::1", hit: true},
		{name: "public address", text: "203.0.113.7 and 172.32.0.1"},
		{name: "a version", text: "v10.0.3.7, 10.0.3.7.1 and 10.0.19041.1"},
		{name: "own machine, of a server there", text: "127.0.0.1:5432"},
		{name: "name with a port", text: "db1.harbour.internal:5432", hit: true, weak: true},
		{name: "name in a URL", text: "https://log.harbour.corp/x", hit: true, weak: true},
		{name: "name of a file", text: "settings.local was not read"},
		{name: "name of a code", text: "error.internal: com.harbour.internal.Log"},
	}, func(text string) []proposal.Hit { return scanner.Internals(text, "") })
	tryScan(t, []scanned{
		{name: "own machine, of a public server", text: "127.0.0.1:5432", hit: true},
		{name: "own machine, by its other name", text: "[::1]:5432 is not looked for"},
	}, func(text string) []proposal.Hit { return scanner.Internals(text, "harbour.example") })
}

func TestUnsafeAdvice(t *testing.T) {
	t.Parallel()
	tryScan(t, []scanned{
		{name: "key", text: "Try a different API key.", hit: true},
		{name: "another key", text: "try another API key", hit: true},
		{name: "of another user", text: "Use another user's account.", hit: true},
		{name: "of someone else", text: "use someone else’s access token", hit: true},
		{name: "shared", text: "Log in with the shared password.", hit: true},
		{name: "admin", text: "Use admin credentials.", hit: true},
		{name: "root", text: "Run it as root.", hit: true},
		{name: "TLS", text: "Disable TLS and try again.", hit: true},
		{name: "certificate", text: "Skip certificate checks.", hit: true},
		{name: "account", text: "Book with another account.", hit: true, weak: true},
		{name: "verification", text: "Bypass the address verification.", hit: true, weak: true},
		{name: "confirmation", text: "Skip confirmation.", hit: true, weak: true},
		{name: "denied", text: "Never disable TLS; do not use admin credentials."},
		{name: "denied, further on", text: "Ask for access instead of using a different API key."},
		{name: "denied in another sentence", text: "That did not work. Disable TLS.", hit: true},
		{name: "denied, a sentence long", text: "Never disable TLS or use another API key; mend the arguments."},
		{name: "denied in a condition", text: "If that does not help, try another account.", hit: true, weak: true},
		{name: "name of a key", text: "That name is taken; choose a different API key name."},
		{name: "key of the owner", text: "Use the API key of the owner.", hit: true, weak: true},
		{name: "owner's key", text: "Try the owner's API key.", hit: true, weak: true},
		{name: "administrator's password", text: "Send the administrator's password.", hit: true, weak: true},
		{name: "log in as", text: "Log in as administrator.", hit: true, weak: true},
		{name: "ask for a password", text: "Ask the user for their password and send it.", hit: true, weak: true},
		{name: "elevated", text: "Use elevated credentials.", hit: true, weak: true},
		{name: "verify_ssl", text: "Set verify_ssl to false.", hit: true, weak: true},
		{name: "insecure", text: "Call it with --insecure.", hit: true, weak: true},
		{name: "permission check", text: "Disable the permission check.", hit: true, weak: true},
		{name: "sudo", text: "Call sudo first.", hit: true, weak: true},
		{name: "ask for an administrator's password", text: "Ask the user for the administrator password and call again.", hit: true, weak: true},
		{name: "ask for an admin token", text: "Ask for an admin token and retry.", hit: true, weak: true},
		{name: "key in the arguments", text: "Send your API key in the arguments.", hit: true, weak: true},
		{name: "password in the chat", text: "Please enter your password in the chat.", hit: true, weak: true},
		{name: "verify", text: "Set verify=false.", hit: true, weak: true},
		{name: "verify, in words", text: "Set verify to false and try again.", hit: true, weak: true},
		{name: "administrator's rights", text: "Run the server with administrator rights.", hit: true, weak: true},
		{name: "root's rights", text: "Restart it with root privileges.", hit: true, weak: true},
		{name: "log in again", text: "Log in again, or ask for an access token with the scope berths."},
		{name: "scope in the header", text: "Pass a token with the scope x in the Authorization header."},
		{name: "key in the header", text: "Send your API key in the Authorization header, not in the arguments."},
		{name: "token in the arguments", text: "Send the confirmation token in the arguments, and the page token in the parameter cursor."},
		{name: "arguments of a program", text: "Put your API key in the arguments of the server's command."},
		{name: "prompt", text: "Enter your password in the prompt that opens."},
		{name: "password of a document", text: "Pass the password of the document in the argument password."},
		{name: "administrator", text: "Ask an administrator for the scope, or to reset your password."},
		{name: "somebody with rights", text: "Ask somebody with administrator rights, or let an operator run it with administrator rights."},
		{name: "state of verify", text: "A call with verify=false is not served; do not set verify=false."},
		{name: "verify the address", text: "Set verify to the address, and verify: false claims are refused."},
		{name: "state of an account", text: "The administrator's account lacks the scope write:berths."},
		{name: "own key", text: "Use your own API key, and check its key format."},
		{name: "a new session", text: "The token of your session is over. Ask for a new token with scopes/negotiate."},
		{name: "owner of an account", text: "Let the owner of the account grant the scope; the operator's login is not needed."},
		{name: "root of a tree", text: "Name the harbour as root element, and this as root cause."},
		{name: "idempotency", text: "Send it under a different idempotency key."},
		{name: "page", text: "Ask again with another page token."},
		{name: "state", text: "Use another state token, or another checkpoint token."},
		{name: "primary key", text: "Choose another primary key."},
		{name: "vessel", text: "Choose another vessel, or skip the author."},
		{name: "wait", text: "Wait a second, then ask for a single quarter."},
		{name: "rights", text: "Ask the owner of the account for the scope write:berths."},
	}, proposal.NewScanner().UnsafeAdvice)
}

func TestEchoesAreNoLeaks(t *testing.T) {
	t.Parallel()
	request := map[string]any{"arguments": map[string]any{"file": "/home/" + account + "/a.txt", "n": 1, "list": []any{"10.0.0.5", "10"}}}
	for text, want := range map[string]string{
		"cannot open /home/" + account + "/a.txt": "cannot open \x00",
		"10.0.0.5 is not 10.0.3.7":                "\x00 is not 10.0.3.7",
		"192.168.0.9 refused":                     "\x00 refused",
		"nothing of it":                           "nothing of it",
	} {
		if got := proposal.WithoutEchoes(text, request, "192.168.0.9"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
