package resources

import "github.com/mcp-conform/mcp-conform/reference-server/fault"

// lasting are subscriptions that end before the client ends them.
func lasting() []fault.Fault {
	return []fault.Fault{
		{
			Name: "resources-updated-once", Title: "subscribers are told of the first change only", Breaks: "resources-updated-after-change",
			In: handshake(), Skip: []fault.Check{fault.CheckFurtherChanges},
		},
		{
			Name: "resources-unsubscribe-all", Title: "resources/unsubscribe ends all subscriptions of the client",
			Breaks: "resources-updated-after-change", In: handshake()[:1], Skip: []fault.Check{fault.CheckUnsubscribed},
		},
		{
			Name: "resources-listen-once", Title: "a subscription to a resource brings the first change only",
			Breaks: "resources-listen-updates-delivered", In: modern()[:1], Skip: []fault.Check{fault.CheckFurtherChanges},
		},
	}
}
