package roots

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/questions"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/roles"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// fileCases put a file into a root and one beside it, and have the server open each.
func fileCases() []suite.Case {
	var cases []suite.Case
	for _, row := range []struct {
		slug, title, fix string
		rule             requirements.ID
		path             func(room) string
	}{
		{
			"boundaries", "a file outside the roots is not opened", "compare the path with the roots of the client before it is opened",
			"roots-boundaries-respected", func(r room) string { return r.secret },
		},
		{
			"path-with-dots", "a path that leaves a root by its steps is not opened",
			"clean the path before it is compared with the roots", "roots-paths-validated",
			func(r room) string {
				return r.root + string(filepath.Separator) + filepath.Join("..", "beside", filepath.Base(r.secret))
			},
		},
		{
			"path-by-link", "a link in a root that leads out of it is not followed",
			"resolve links before the path is compared with the roots", "roots-paths-validated",
			func(r room) string { return filepath.Join(r.root, "link", filepath.Base(r.secret)) },
		},
	} {
		cases = append(cases, suite.Case{
			ID: "roots/" + row.slug, Title: row.title, Fix: row.fix, Checks: []requirements.ID{row.rule},
			Needs: []suite.Need{
				suite.Role(roles.ClientRequest, "roots"), suite.Role(roles.ClientRequest, "roots.file"), suite.Trait(probe.Launched),
			},
			Run: func(c *probe.Client) error { return staysInside(c, row.path) },
		})
	}
	return cases
}

// A room is a folder of the kit: a root, and a folder beside it that is none.
type room struct {
	root         string
	inside, says string // a file in the root, and what it says
	secret, word string // a file beside the root, and what it says
}

// furnish makes the room; it goes with the case.
func furnish(c *probe.Client) (r room, err error) {
	top, err := os.MkdirTemp("", "mcp-conform-roots-")
	if err != nil {
		return r, err
	}
	c.Cleanup(func() { _ = os.RemoveAll(top) })
	r = room{
		root: filepath.Join(top, "root"), inside: filepath.Join(top, "root", "chart.txt"), says: "kit-inside-" + c.Nonce(),
		secret: filepath.Join(top, "beside", "log.txt"), word: "kit-beside-" + c.Nonce(),
	}
	for file, text := range map[string]string{r.inside: r.says, r.secret: r.word} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return r, err
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return r, err
		}
	}
	return r, os.Symlink(filepath.Dir(r.secret), filepath.Join(r.root, "link"))
}

// staysInside first sees the tool open a file in the root: a server that runs elsewhere finds
// neither file.
func staysInside(c *probe.Client, path func(room) string) error {
	r, err := furnish(c)
	if err != nil {
		c.Undecide("files could not be made for this case: " + err.Error())
	}
	client := able(c)
	root := url.URL{Scheme: "file", Path: filepath.ToSlash(r.root)}
	client.Answers(questions.Roots, questions.Always(listOf(root.String())))
	inside := open(c, client, r.inside)
	c.NotSeenIf(!shows(inside, r.says), "the tool of roles.client-request.roots.file does not show a file in the root: "+inside.Outcome())
	outside := open(c, client, path(r))
	if shows(outside, r.word) {
		return probe.Shown(inside, outside).Violation("the result shows a file outside the only root %s, want an error",
			probe.Show(root.String()))
	}
	return nil
}

// open calls the tool that opens a path.
func open(c, client *probe.Client, path string) *probe.Reply {
	file := c.Role(roles.ClientRequest).Fields().At("roots").At("file")
	given, _ := file.Arguments("arguments")
	call, err := roles.Call{Tool: file.Text("tool"), Arguments: given}.Expand(
		roles.Vars{Nonce: c.Nonce(), Given: map[string]any{"path": path}})
	c.Must(err)
	arguments := probe.Object(call.Arguments)
	if name := file.Text("argument"); name != "" {
		arguments = arguments.With(name, path)
	}
	return client.Call("tools/call", probe.Object{"name": call.Tool, "arguments": arguments})
}

func shows(reply *probe.Reply, text string) bool {
	result, _ := reply.Result()
	return strings.Contains(probe.JSON(result), text)
}
