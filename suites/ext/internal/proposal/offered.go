package proposal

// Methods of proposals that others look for too: a manifest may promise them. The
// form of a method is learned once, so that each is written down once.

// BeginTransaction opens a transaction that the client names.
func BeginTransaction() Method {
	return Method{
		Extension: "transactions", Name: "transaction/begin", Aliases: []string{"BEGIN_TRANSACTION"}, Tools: []string{"begin_transaction"},
	}
}

// RollbackTransaction takes back what was done in a transaction, and ends it.
func RollbackTransaction() Method {
	return Method{
		Extension: "transactions", Name: "transaction/rollback", Aliases: []string{"ROLLBACK"}, Tools: []string{"rollback_transaction"},
	}
}

// SubscribeEvents asks for events to be sent.
func SubscribeEvents() Method {
	return Method{Extension: "push", Name: "events/subscribe", Aliases: []string{"subscribe"}, Tools: []string{"subscribe"}}
}

// UnsubscribeEvents ends a subscription.
func UnsubscribeEvents() Method {
	return Method{Extension: "push", Name: "events/unsubscribe", Aliases: []string{"unsubscribe"}, Tools: []string{"unsubscribe"}}
}

// RecommendServers asks which other servers can do something.
func RecommendServers() Method {
	return Method{Extension: "server-discovery", Name: "recommend_servers", Tools: []string{"recommend_servers"}, Harmless: true}
}
