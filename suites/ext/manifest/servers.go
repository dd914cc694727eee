package manifest

import (
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func servers() []suite.Case {
	return []suite.Case{
		handed("server-required", "server has a name, a version and mcp_spec_version", "ext-manifest-server-required",
			"send name, version and mcp_spec_version of the server as strings that are not empty",
			ofServer(func(d *document, server map[string]any) error {
				return d.fits("ServerNames", server, "server")
			})),
		handed("server-semver", "server.version is a semantic version", "ext-manifest-server-semver",
			"send the version of the server as three numbers, such as 1.4.2", ofServer(semver)),
		handed("spec-version-spoken", "mcp_spec_version is a revision of MCP that the server supports", "ext-manifest-spec-version-spoken",
			"send the date of a revision that the server agrees to, such as that of this connection", ofServer(specVersionSpoken)),
		handed("identity-agrees", "the manifest names the same server and version as serverInfo", "ext-manifest-identity-agrees",
			"take name and version for serverInfo and for the manifest from one place", ofServer(identityAgrees)),
		handed("server-optional-types", "server.description is a string and server.homepage an absolute URI",
			"ext-manifest-server-optional-types",
			"leave out what the server does not have, and write the homepage with its scheme",
			ofServer(func(d *document, server map[string]any) error {
				return d.fits("ServerExtras", server, "server")
			})),
	}
}

// ofServer makes a case of a judgement of what the document says of the server.
func ofServer(judge func(d *document, server map[string]any) error) func(*probe.Client) error {
	return of(func(d *document) error {
		server, ok := d.Document["server"].(map[string]any)
		d.client.UndecideIf(!ok, "server of the manifest is not an object; ext-manifest/required-fields says so")
		return judge(d, server)
	})
}

func semver(d *document, server map[string]any) error {
	version, ok := server["version"].(string)
	d.client.UndecideIf(!ok || version == "", "the server has no version that is a string; ext-manifest/server-required says so")
	return d.fits("ServerVersion", version, "server", "version")
}

// The revision named need not be that of the connection, so what discovery has not
// asked for yet is asked for now.
func specVersionSpoken(d *document, server map[string]any) error {
	named, ok := server["mcp_spec_version"].(string)
	d.client.UndecideIf(!ok || named == "", "there is no mcp_spec_version that is a string; ext-manifest/server-required says so")
	where, survey := d.Where("server", "mcp_spec_version"), d.client.Survey()
	revision := requirements.Revision(named)
	switch {
	case !revision.Known():
		return d.violation("%s is %q, want the date of a revision of MCP", where, named)
	case slices.Contains(append([]string{string(d.client.Revision())}, survey.Supported...), named):
		return nil
	}
	versions := d.client.Versions()
	switch {
	case slices.Contains(versions.Echoed, revision):
		return nil
	case len(versions.Echoed)+len(versions.Offered)+len(survey.Supported) == 0:
		d.client.Undecide("it is not known which revisions the server supports")
	}
	return d.violation("%s is %q, want a revision that the server supports: it does not agree to this one", where, named)
}

func identityAgrees(d *document, server map[string]any) error {
	info := d.client.Survey().ServerInfo
	d.client.NotSeenIf(len(info) == 0, "the server sends no serverInfo")
	name, named := server["name"].(string)
	if own, ok := info["name"].(string); named && name != "" && ok && folded(name) != folded(own) {
		if title, ok := info["title"].(string); !ok || folded(name) != folded(title) {
			return d.violation("%s is %q, want the name or the title of serverInfo, %q", d.Where("server", "name"), name, own)
		}
	}
	version, ok := server["version"].(string)
	if own, has := info["version"].(string); ok && version != "" && has && release(version) != release(own) {
		return d.violation("%s is %q, want the version of serverInfo, %q", d.Where("server", "version"), version, own)
	}
	return nil
}

// release is a version as the manifest has to write it: serverInfo may leave out
// numbers that are zero. What names the build says nothing of the version.
func release(version string) string {
	version, _, _ = strings.Cut(strings.TrimPrefix(version, "v"), "+")
	for strings.Count(version, ".") < 2 && strings.Trim(version, "0123456789.") == "" {
		version += ".0"
	}
	return version
}

// folded is what is left of a name whatever its case and separators.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}
