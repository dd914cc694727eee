package meta

import "testing"

func TestTraceContext(t *testing.T) {
	t.Parallel()
	const id = "0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7"
	for _, row := range []struct {
		name string
		fits func(string) bool
		text string
		want bool
	}{
		{"traceparent", isTraceparent, "00-" + id + "-01", true},
		{"traceparent of a later version", isTraceparent, "01-" + id + "-01-more", true},
		{"traceparent that goes on", isTraceparent, "00-" + id + "-01-more", false},
		{"traceparent in capitals", isTraceparent, "00-0AF7651916CD43DD8448EB211C80319C-00f067aa0ba902b7-01", false},
		{"traceparent without a trace", isTraceparent, "00-00000000000000000000000000000000-00f067aa0ba902b7-01", false},
		{"traceparent without a parent", isTraceparent, "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", false},
		{"traceparent of version ff", isTraceparent, "ff-" + id + "-01", false},
		{"traceparent, empty", isTraceparent, "", false},
		{"tracestate", isTracestate, "rojo=00f067aa0ba902b7, congo=t61rcWkgMzE,", true},
		{"tracestate of a tenant", isTracestate, "fw529a3039@dt=FfffffffZ:w1", true},
		{"tracestate, empty", isTracestate, "", true},
		{"tracestate without a value", isTracestate, "rojo", false},
		{"tracestate in capitals", isTracestate, "Rojo=1", false},
		{"baggage", isBaggage, "userId=alice,serverNode=DF%2028 ; ttl=1;p , isProduction=false", true},
		{"baggage with an empty value", isBaggage, "a=", true},
		{"baggage with a space in the value", isBaggage, "a=b c", false},
		{"baggage without a value", isBaggage, "alice", false},
	} {
		if got := row.fits(row.text); got != row.want {
			t.Errorf("%s: %q: got %t, want %t", row.name, row.text, got, row.want)
		}
	}
}
