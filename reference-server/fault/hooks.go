package fault

// onResult changes the result of each answer to the method. An error passes
// unchanged.
func onResult(method string, change func(result Message)) func(Exchange, Message) []Message {
	return func(x Exchange, m Message) []Message {
		if result, ok := m.Result(); ok && x.Method == method {
			change(result)
		}
		return []Message{m}
	}
}

// onError changes each error that answers the method.
func onError(method string, change func(failure Message)) func(Exchange, Message) []Message {
	return func(x Exchange, m Message) []Message {
		if _, failed := m["error"]; failed && x.Method == method {
			change(m.Object("error"))
		}
		return []Message{m}
	}
}
