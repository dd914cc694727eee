package clients

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A listing is a server.json of the registry: packages to start, and servers that run
// elsewhere.
type listing struct {
	Packages []pack   `json:"packages"`
	Remotes  []remote `json:"remotes"`
}

type remote struct {
	Type    string  `json:"type"`
	URL     string  `json:"url"`
	Headers []value `json:"headers"`
	Values  inputs  `json:"variables"`
}

type pack struct {
	Registry    string  `json:"registryType"`
	ID          string  `json:"identifier"`
	Version     string  `json:"version"`
	Hint        string  `json:"runtimeHint"`
	Transport   remote  `json:"transport"`
	Runtime     []value `json:"runtimeArguments"`
	Arguments   []value `json:"packageArguments"`
	Environment []value `json:"environmentVariables"`
}

type inputs map[string]value

// A value is an argument, a variable or a header.
type value struct {
	Type      string `json:"type"`
	Name      string `json:"name"`
	Value     string `json:"value"`
	Default   string `json:"default"`
	Hint      string `json:"valueHint"`
	Required  bool   `json:"isRequired"`
	Secret    bool   `json:"isSecret"`
	Variables inputs `json:"variables"`
}

func registry(text []byte, at Place) (File, error) {
	var l listing
	if err := json.Unmarshal(text, &l); err != nil {
		return File{}, wrongType(err)
	}
	f := File{Client: "the registry"}
	for _, p := range l.Packages {
		f.Servers = append(f.Servers, p.server(at))
	}
	for _, r := range l.Remotes {
		s := Server{Name: r.URL, Env: map[string]string{}}
		r.reach(&s, at)
		f.Servers = append(f.Servers, s)
	}
	if len(f.Servers) == 0 {
		return File{}, errors.New("it names neither a package nor a remote")
	}
	slices.SortStableFunc(f.Servers, func(a, b Server) int { return strings.Compare(a.Name, b.Name) })
	return f, nil
}

// server is the package as a command of the tool that runs packages of its kind.
func (p pack) server(at Place) Server {
	s := Server{Name: p.ID, Env: map[string]string{}}
	var front, back []string
	switch p.Registry {
	case "npm":
		front, back = []string{"npx", "-y"}, []string{p.ID + version("@", p.Version)}
	case "pypi":
		front, back = []string{"uvx"}, []string{p.ID + version("==", p.Version)}
	case "nuget":
		front, back = []string{"dnx", "-y"}, []string{p.ID + version("@", p.Version)}
	case "oci":
		front, back = []string{"docker", "run", "-i", "--rm"}, []string{p.ID}
		if last := p.ID[strings.LastIndexByte(p.ID, '/')+1:]; !strings.ContainsAny(last, ":@") {
			back[0] += version(":", p.Version)
		}
	default:
		s.Unable = fmt.Sprintf("nothing here can start a package of the kind %q", p.Registry)
		return s
	}
	if p.Hint != "" && p.Hint != front[0] {
		front = []string{p.Hint}
	}
	for _, one := range p.Environment {
		text, given := one.fill(&s, at, "the variable "+one.Name, one.Name)
		if !given {
			continue
		}
		s.Env[one.Name] = text
		if p.Registry == "oci" {
			front = append(front, "-e", one.Name)
		}
	}
	s.Command = slices.Concat(front, words(&s, at, p.Runtime), back, words(&s, at, p.Arguments))
	p.Transport.reach(&s, at)
	return s
}

func version(separator, text string) string {
	if text == "" {
		return ""
	}
	return separator + text
}

// reach puts the address and the headers into the server, where there are any.
func (r remote) reach(s *Server, at Place) {
	url := value{Value: r.URL, Variables: r.Values}
	if text, given := url.fill(s, at, "the address", ""); given && r.Type == "sse" {
		s.SSE = text
	} else if given {
		s.URL = text
	}
	s.Headers = map[string]string{}
	for _, one := range r.Headers {
		if text, given := one.fill(s, at, "the header "+one.Name, ""); given {
			s.Headers[one.Name] = text
		}
	}
}

func words(s *Server, at Place, arguments []value) []string {
	var all []string
	for _, one := range arguments {
		what := "the argument " + one.Name + one.Hint
		text, given := one.fill(s, at, what, "")
		if given && one.Type == "named" {
			all = append(all, one.Name)
		}
		if given {
			all = append(all, text)
		}
	}
	return all
}

var curly = regexp.MustCompile(`\{([A-Za-z0-9_.-]+)\}`)

// fill gives the text of a value: as it is written, else from the environment, else its
// default. Whatever it leaves open is noted as missing where it is required.
func (v value) fill(s *Server, at Place, what, variable string) (text string, given bool) {
	text = cmp.Or(v.Value, v.Default)
	if own, set := at.Env(variable); variable != "" && set && v.Value == "" {
		s.Secrets = append(s.Secrets, own)
		return own, true
	}
	text = curly.ReplaceAllStringFunc(text, func(written string) string {
		name := strings.Trim(written, "{}")
		filled := v.Variables[name]
		if own, set := at.Env(InputVariable(name)); set {
			s.Secrets = append(s.Secrets, own)
			return own
		}
		if preset := cmp.Or(filled.Value, filled.Default); preset != "" {
			return preset
		}
		s.Missing = append(s.Missing, written+" of "+what+": set "+InputVariable(name))
		return written
	})
	if text == "" && v.Required {
		missing := what + " has to be given"
		if variable != "" {
			missing += ": set " + variable
		}
		s.Missing = append(s.Missing, missing)
	}
	if v.Secret && text != "" {
		s.Secrets = append(s.Secrets, text)
	}
	return text, text != ""
}
