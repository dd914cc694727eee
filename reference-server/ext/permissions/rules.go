package permissions

import (
	"encoding/json"
)

// A Scope is one permission, under the name that clients ask for it by.
type Scope struct {
	Name, Description string
}

// Scopes lists what there is to be allowed.
func Scopes() []Scope {
	return []Scope{
		{"read:berths", "See berths and bookings."},
		{"write:berths", "Book and release berths."},
		{"write:signals", "Hoist signals at the masts."},
		{admin, "Close the harbour."},
	}
}

// admin is the one scope that is given out to nobody who asks.
const admin = "admin:harbour"

func names() []string {
	var all []string
	for _, scope := range Scopes() {
		all = append(all, scope.Name)
	}
	return all
}

// Required lists the scopes that a tool takes whatever it is called with. Tools
// that are not here take none: they tell what is on the notice board anyway.
func Required(tool string) []string {
	switch tool {
	case "list_berths", "find_berth", "list_bookings", "count_bookings", "count_signals":
		return []string{"read:berths"}
	case "book_berth", "release_berth":
		return []string{"write:berths"}
	case "hoist_signal":
		return []string{"write:signals"}
	default:
		return []string{}
	}
}

// required also looks at what the tool is called with: a storm signal closes the
// harbour, and that takes more than hoisting a flag does.
func required(tool string, arguments json.RawMessage) []string {
	scopes := Required(tool)
	var signal struct{ Signal string }
	if tool == "hoist_signal" && json.Unmarshal(arguments, &signal) == nil && signal.Signal == "storm" {
		scopes = append(scopes, admin)
	}
	return scopes
}
