package requirements

// areas lists the data files in reading order: the core as the specification
// tells it, then the extensions.
func areas() []string {
	return []string{
		"lifecycle", "discover", "meta", "jsonrpc", "errors", "schema", "icons", "stdio", "http",
		"tools", "resources", "prompts", "completion", "logging", "pagination", "caching",
		"progress", "cancellation", "ping", "mrtr", "tasks",
		"sampling", "elicitation", "roots", "authorization", "security",

		"ext-manifest", "ext-intent", "ext-cost-latency", "ext-permissions", "ext-idempotency",
		"ext-transactions", "ext-confirmation", "ext-provenance", "ext-progress", "ext-streaming",
		"ext-data-references", "ext-multimodal", "ext-structured-errors", "ext-server-discovery",
		"ext-session-state", "ext-push", "ext-dashdash-init", "ext-dashdash-tools",
		"ext-dashdash-ai-help", "ext-dashdash-resources", "ext-well-known", "ext-content",
		"ext-degradation",
	}
}
