package fault

import "maps"

// Asks changes the params of what the server asks its client by a method: for Notify up to
// 2025-11-25, when a question is a request, and for Reply since, when it stands in a result.
func Asks(method string, change func(x Exchange, params Message)) Change {
	told := Told(method, change)
	return func(x Exchange, m Message) {
		if _, asks := m["method"]; asks {
			told(x, m)
			return
		}
		result, _ := m.Result()
		asked, ok := result["inputRequests"].(map[string]any)
		if !ok {
			return
		}
		asked = maps.Clone(asked)
		result["inputRequests"] = asked
		for key, one := range asked {
			question, _ := one.(map[string]any)
			if params, ok := question["params"].(map[string]any); ok && question["method"] == method {
				question, params = maps.Clone(question), maps.Clone(params)
				question["params"], asked[key] = params, question
				change(x, params)
			}
		}
	}
}

// Asking is a fault whose questions of a method are changed, in both forms.
func (f Fault) Asking(method string, change func(x Exchange, params Message)) Fault {
	f.Reply, f.Notify = Asks(method, change), Asks(method, change)
	return f
}
