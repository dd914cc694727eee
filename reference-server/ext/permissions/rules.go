package permissions

import (
	"encoding/json"
)

// A Scope is one permission, under the name that clients request.
type Scope struct {
	Name, Description string
}

// Scopes lists all scopes.
func Scopes() []Scope {
	return []Scope{
		{"read:berths", "See berths and bookings."},
		{"write:berths", "Book and release berths."},
		{"write:signals", "Hoist signals at the masts."},
		{admin, "Close the harbour."},
	}
}

// admin is the one scope that no negotiation grants.
const admin = "admin:harbour"

func names() []string {
	var all []string
	for _, scope := range Scopes() {
		all = append(all, scope.Name)
	}
	return all
}

// Required lists the scopes that a tool needs with any arguments. Other tools need
// none: they only read the public notice board.
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

// required also considers the arguments: a storm signal closes the harbour and needs
// more scopes than a flag, and so does a vessel at the royal quay.
func required(tool string, arguments json.RawMessage) []string {
	scopes := Required(tool)
	var given struct{ Signal, Quay string }
	if json.Unmarshal(arguments, &given) != nil {
		return scopes
	}
	if tool == "hoist_signal" && given.Signal == "storm" || tool == "scrap_vessel" && given.Quay == "royal" {
		scopes = append(scopes, admin)
	}
	return scopes
}
