package tools

import (
	"fmt"
	"strconv"

	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

func arguments() []fault.Fault {
	missing := func(x fault.Exchange) bool { missing, _ := berthSearch(x); return missing }
	object := func(x fault.Exchange) bool { _, object := berthSearch(x); return object }
	done := func(x fault.Exchange) fault.Message { return toolAnswer(x, "There is a berth.") }
	inside := func(x fault.Exchange) bool {
		arguments, _ := x.Param("arguments").(map[string]any)
		filter, _ := arguments["filter"].(map[string]any)
		_, object := filter["flag"].(map[string]any)
		return object && x.Tool() == "vessel_traffic"
	}
	counted := func(x fault.Exchange) fault.Message { return toolAnswer(x, "kind : 7 vessels") }
	return []fault.Fault{
		{Breaks: "tools-inputs-validated", Each: []fault.Fault{{
			Name: "tools-arguments-not-validated", Title: "tools run with arguments that their input schemas exclude",
			Kills: []string{
				"tools/inputs-validated-configured", "tools/inputs-validated-missing", "tools/inputs-validated-type",
				"tools/inputs-validated-nested",
			},
			May:    []string{"schema/applied-as-2020-12", "ext-structured-errors/invalid-arguments-category"},
			Silent: []string{"tools/varied-arguments", "ext-content/empty-schema-enforced", "ext-idempotency/after-failure"},
			Skip:   []fault.Check{fault.CheckArguments},
		}, {
			Name: "tools-arguments-required-ignored", Title: "a tool runs without an argument that its input schema requires",
			Kills: []string{"tools/inputs-validated-missing"}, Reply: answeredInstead(missing, done),
		}, {
			Name:  "tools-arguments-types-ignored",
			Title: "a tool runs with an argument of another type than its input schema requires",
			Kills: []string{"tools/inputs-validated-configured", "tools/inputs-validated-type"},
			May:   []string{"ext-structured-errors/invalid-arguments-category"}, In: fault.OverStdio(requirements.R20250326),
			Reply: answeredInstead(object, done),
		}, {
			Name: "tools-arguments-inner-types-ignored", Title: "a tool looks at the types of its arguments and not at what is inside of them",
			Kills: []string{"tools/inputs-validated-nested"}, Reply: answeredInstead(inside, counted),
		}, {
			Name: "tools-arguments-bounds-ignored", Title: "a tool runs with a number beyond the bounds of its schema",
			Kills: []string{"tools/varied-arguments"}, Reply: answeredInstead(beyondTheYear, tides),
		}, {
			Name: "tools-arguments-oversized-kills", Title: "an oversized argument ends the process",
			Kills: []string{"tools/survives-oversized-arguments"}, In: fault.OverStdio(requirements.R20260728),
			Inbound: fault.When(func(x fault.Exchange) bool { return x.Tool() == "find_berth" && len(x.Params) > 100_000 }).Exit(1),
		}, {
			Name: "tools-arguments-nested-kills", Title: "a deeply nested argument ends the process",
			Kills: []string{"tools/survives-nested-arguments"}, In: fault.OverStdio(requirements.R20260728),
			Inbound: fault.When(func(x fault.Exchange) bool { return x.Tool() == "find_berth" && nestedDeeper(x.Params, 100) }).Exit(1),
		}}},
	}
}

func invalidArguments() []fault.Fault {
	object := func(x fault.Exchange) bool { _, object := berthSearch(x); return object }
	refuse := func(code int) func(fault.Exchange) fault.Message {
		return func(x fault.Exchange) fault.Message { return x.Refusal(code, "the arguments do not fit") }
	}
	return []fault.Fault{{
		Name: "tools-invalid-arguments-hang", Title: "arguments that do not fit the input schema are never answered",
		Breaks: "tools-invalid-arguments-protocol-error", May: []string{"ext-structured-errors/invalid-arguments-category"},
		Hangs: true, Inbound: fault.When(object).Hang(),
	}, {
		Name:   "tools-invalid-arguments-unknown-method",
		Title:  "arguments that do not fit the input schema are answered with the error for unknown methods",
		Breaks: "tools-invalid-arguments-protocol-error",
		May:    []string{"ext-structured-errors/record-of-invalid-arguments", "ext-structured-errors/invalid-arguments-category"},
		Reply:  answeredInstead(object, refuse(-32601)),
	}, {
		Name:   "tools-invalid-arguments-protocol-error",
		Title:  "arguments that do not fit the input schema are answered with error -32602",
		Breaks: "tools-invalid-arguments-tool-error",
		May:    []string{"ext-structured-errors/record-of-invalid-arguments"},
		Silent: []string{"ext-structured-errors/invalid-arguments-readable"},
		In:     fault.OverStdio(requirements.R20251125), Reply: answeredInstead(object, refuse(-32602)),
	}, {
		Name:   "tools-invalid-arguments-internal-error",
		Title:  "arguments that do not fit the input schema are answered with error -32603",
		Breaks: "tools-invalid-arguments-tool-error",
		May: []string{
			"ext-structured-errors/record-of-invalid-arguments", "ext-structured-errors/invalid-arguments-category",
			"ext-structured-errors/invalid-arguments-readable",
		},
		In: fault.OverStdio(requirements.R20260728), Reply: answeredInstead(object, refuse(-32603)),
	}}
}

// varied are defects that only show with some arguments which the schema of a tool allows.
func varied() []fault.Fault {
	fits := func(x fault.Exchange) bool { given, fits := day(x); return given && fits }
	return []fault.Fault{{
		Name: "tools-bounds-hang", Title: "a call with the first or the last day of the year is never answered",
		Breaks: "jsonrpc-single-response", Kills: []string{"tools/varied-arguments"}, Since: requirements.R20250326,
		Hangs: true, Inbound: fault.When(fits).Hang(),
	}, {
		Name: "tools-bounds-structured", Title: "the day in structured content is a string where the call names a day",
		Breaks: "tools-structured-content-conforms", Kills: []string{"tools/varied-structured-content"},
		May:    []string{"tools/structured-content-conforms"},
		Silent: []string{"tools/structured-content-text", "tools/varied-structured-text"},
		Reply:  fault.When(fits).Set("/result/structuredContent/day", "the day"),
	}, {
		Name: "tools-bounds-structured-missing", Title: "structured content is missing where the call names a day",
		Breaks: "tools-structured-content-present", Kills: []string{"tools/varied-structured-content"},
		May:   []string{"tools/structured-content-present", "tools/structured-content-conforms", "tools/structured-content-text"},
		Reply: fault.When(fits).Drop("/result/structuredContent"),
	}, {
		Name: "tools-structured-usual-day", Title: "the day in structured content is a string where the call names none",
		Breaks: "tools-structured-content-conforms", Kills: []string{"tools/structured-content-conforms"},
		Reply: fault.When(func(x fault.Exchange) bool { given, _ := day(x); return x.Tool() == "tide_table" && !given }).
			Set("/result/structuredContent/day", "the day"),
	}, {
		Name:   "tools-listed-measures-structured",
		Title:  "the length in structured content is a string where the call has the measures of a listed berth",
		Breaks: "tools-structured-content-conforms", Kills: []string{"tools/varied-structured-content"},
		Silent: []string{"tools/varied-structured-text"},
		Reply:  fault.When(measured).Set("/result/structuredContent/length", "long enough"),
	}}
}

// measured reports whether a call of find_berth has the draught of a berth that list_berths
// shows. No schema names these.
func measured(x fault.Exchange) bool {
	arguments, _ := x.Param("arguments").(map[string]any)
	draught := fmt.Sprint(arguments["draught"])
	return x.Tool() == "find_berth" && (draught == "3.5" || draught == "6")
}

// day reports whether a call of tide_table has a day, and whether its schema allows it.
func day(x fault.Exchange) (given, fits bool) {
	arguments, _ := x.Param("arguments").(map[string]any)
	value, given := arguments["day"]
	n, err := strconv.Atoi(fmt.Sprint(value))
	return given && x.Tool() == "tide_table", err == nil && n >= 1 && n <= 366
}

func beyondTheYear(x fault.Exchange) bool { given, fits := day(x); return given && !fits }

func tides(x fault.Exchange) fault.Message { return toolAnswer(x, "High water at noon.") }
