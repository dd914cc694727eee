package schemas

import (
	"cmp"
	"fmt"
	"math/big"
	"net/url"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// wantOf describes the wish of a failed keyword. The options are the parts of an
// alternative, for joining with others.
func wantOf(failed jsonschema.ErrorKind) (want string, options []string) {
	switch k := failed.(type) {
	case *kind.Type:
		for _, name := range k.Want {
			options = append(options, article(name))
		}
		return oneOf(options), options
	case *kind.Const:
		options = []string{excerpt(k.Want)}
		return options[0], options
	case *kind.Enum:
		for _, value := range k.Want[:min(len(k.Want), optionLimit+1)] {
			options = append(options, excerpt(value))
		}
		return oneOf(options), options
	case *kind.Pattern:
		return cmp.Or(patternWords()[k.Want], "a string that matches "+clip(k.Want)), nil
	case *kind.Format:
		return cmp.Or(formatWords()[k.Want], "a string in the format "+k.Want), nil
	case *kind.ContentEncoding:
		return "a string in " + k.Want, nil
	case *kind.FalseSchema:
		return "nothing here", nil
	case *kind.Not:
		return "a value that the schema does not rule out", nil
	case *kind.Contains, *kind.MinContains:
		return "an array with an item of the wanted kind", nil
	case *kind.MaxContains:
		return fmt.Sprintf("an array with at most %d items of that kind", k.Want), nil
	case *kind.UniqueItems:
		return "an array of different items", nil
	case *kind.RefCycle:
		return "a schema that does not refer back to itself", nil
	case *kind.InvalidJsonValue:
		return "a JSON value", nil
	}
	if want := wantOfBound(failed); want != "" {
		return want, nil
	}
	return "a value that keeps " + strings.Join(failed.KeywordPath(), "/"), nil
}

func wantOfBound(failed jsonschema.ErrorKind) string {
	switch k := failed.(type) {
	case *kind.Minimum:
		return "a number of at least " + decimal(k.Want)
	case *kind.Maximum:
		return "a number of at most " + decimal(k.Want)
	case *kind.ExclusiveMinimum:
		return "a number above " + decimal(k.Want)
	case *kind.ExclusiveMaximum:
		return "a number below " + decimal(k.Want)
	case *kind.MultipleOf:
		return "a multiple of " + decimal(k.Want)
	case *kind.MinLength:
		return "a string of at least " + counted(k.Want, "character")
	case *kind.MaxLength:
		return "a string of at most " + counted(k.Want, "character")
	case *kind.MinItems:
		return "an array of at least " + counted(k.Want, "item")
	case *kind.MaxItems:
		return "an array of at most " + counted(k.Want, "item")
	case *kind.AdditionalItems:
		return "an array without its last " + counted(k.Count, "item")
	case *kind.MinProperties:
		return "an object of at least " + counted(k.Want, "property")
	case *kind.MaxProperties:
		return "an object of at most " + counted(k.Want, "property")
	}
	return ""
}

// counted is a number of things of one name.
func counted(n int, name string) string {
	switch {
	case n == 1:
	case name == "property":
		name = "properties"
	default:
		name += "s"
	}
	return strconv.Itoa(n) + " " + name
}

func article(name string) string {
	switch name {
	case "object", "array", "integer":
		return "an " + name
	case "null":
		return name
	}
	return "a " + name
}

func decimal(r *big.Rat) string {
	if r.IsInt() {
		return clip(r.Num().String())
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// wantOfMember describes a missing member, by the subschema at schemaURL that requires
// it.
func wantOfMember(document any, schemaURL, name string) string {
	_, fragment, _ := strings.Cut(schemaURL, "#")
	node, found := lookup(document, fragmentTokens(fragment))
	if !found {
		return "a value"
	}
	member, _ := lookup(node, []string{"properties", name})
	return wantOfSchema(document, member, 4)
}

// wantOfSchema follows at most hops references: a published schema can be a ring of
// them.
func wantOfSchema(document, node any, hops int) string {
	schema, isObject := node.(map[string]any)
	if !isObject {
		return "a value"
	}
	if ref, ok := schema["$ref"].(string); ok && hops > 0 {
		if fragment, local := strings.CutPrefix(ref, "#"); local {
			if target, found := lookup(document, fragmentTokens(fragment)); found {
				return wantOfSchema(document, target, hops-1)
			}
		}
	}
	if value, ok := schema["const"]; ok {
		return excerpt(value)
	}
	if values, ok := schema["enum"].([]any); ok {
		want, _ := wantOf(&kind.Enum{Want: values})
		return want
	}
	switch named := schema["type"].(type) {
	case string:
		return article(named)
	case []any:
		var options []string
		for _, name := range named {
			options = append(options, article(fmt.Sprint(name)))
		}
		return oneOf(options)
	}
	return "a value"
}

func fragmentTokens(fragment string) []string {
	if text, err := url.PathUnescape(fragment); err == nil {
		fragment = text
	}
	if fragment == "" {
		return nil
	}
	tokens := strings.Split(strings.TrimPrefix(fragment, "/"), "/")
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	for i, token := range tokens {
		tokens[i] = unescape.Replace(token)
	}
	return tokens
}
