package manifest

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

// tolerance is how far the clocks of the kit and of the server may be apart.
const tolerance = 5 * time.Second

func limits() []suite.Case {
	return []suite.Case{
		handed("rate-limits-shape", "the figures of rate_limits are integers and resets_at is a date-time", "ext-manifest-rate-limits-shape",
			"send the figures as integers, and resets_at in RFC 3339 format", fitting("RateLimits", "rate_limits")),
		handed("rate-limits-sane", "the figures of rate_limits fit together", "ext-manifest-rate-limits-sane",
			"count down from the limit to zero, and name the next reset that is to come", of(rateLimitsSane)),
	}
}

func rateLimitsSane(d *document) error {
	value, ok := d.at("rate_limits")
	given, isObject := value.(map[string]any)
	if !ok || !isObject || len(given) == 0 {
		d.absent("rate_limits")
		return nil
	}
	d.client.Require(d.fits("RateLimits", given, "rate_limits"), "the figures are not integers; ext-manifest/rate-limits-shape says so")
	if err := d.fits("StrictRateLimits", given, "rate_limits"); err != nil {
		return err
	}
	remaining, counts := figure(given["remaining"])
	minute, perMinute := figure(given["requests_per_minute"])
	day, perDay := figure(given["requests_per_day"])
	if largest := max(minute, day); counts && (perMinute || perDay) && remaining > largest {
		return d.violation("%s is %s, want at most %v, the largest limit",
			d.Where("rate_limits", "remaining"), probe.Show(given["remaining"]), largest)
	}
	text, _ := given["resets_at"].(string)
	resets, err := time.Parse(time.RFC3339, strings.ToUpper(text))
	if err == nil && !d.At.IsZero() && resets.Before(d.At.Add(-tolerance)) {
		return d.violation("%s is %q, want a moment that is not over; the answer came at %s",
			d.Where("rate_limits", "resets_at"), text, d.At.UTC().Format(time.RFC3339))
	}
	return nil
}

func figure(v any) (float64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}
