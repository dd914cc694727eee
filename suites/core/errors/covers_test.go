package errors

import "testing"

// TestCovers: elicitation without modes means forms, declared or required.
func TestCovers(t *testing.T) {
	t.Parallel()
	type object = map[string]any
	forms, urls := object{"form": object{}}, object{"url": object{}}
	for name, row := range map[string]struct {
		declared, required object
		want               bool
	}{
		"the same":                  {object{"roots": object{}}, object{"roots": object{}}, true},
		"nothing declared":          {object{}, object{"roots": object{}}, false},
		"no modes declared":         {object{"elicitation": object{}}, object{"elicitation": forms}, true},
		"no modes required":         {object{"elicitation": forms}, object{"elicitation": object{}}, true},
		"no modes on either side":   {object{"elicitation": object{}}, object{"elicitation": object{}}, true},
		"forms required, URLs only": {object{"elicitation": urls}, object{"elicitation": object{}}, false},
		"URLs required, forms only": {object{"elicitation": object{}}, object{"elicitation": urls}, false},
		"tools of sampling":         {object{"sampling": object{}}, object{"sampling": object{"tools": object{}}}, false},
		"null in place of settings": {object{"roots": object{}}, object{"roots": nil}, false},
		"a list of names":           {object{"extensions": object{}}, object{"extensions": []any{"tasks"}}, false},
		"a flag":                    {object{"roots": object{"listChanged": true}}, object{"roots": object{"listChanged": true}}, true},
	} {
		if got := covers(row.declared, row.required); got != row.want {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
}
