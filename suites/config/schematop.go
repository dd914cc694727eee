package config

import (
	"fmt"
	"strconv"
)

// topShape is the shape of the whole file except roles and principals.
func topShape(revisions, extensions []string) shape {
	date := shape{"type": "string", "pattern": `^[0-9]{4}-[0-9]{2}-[0-9]{2}$|\$\{`}
	if len(revisions) > 0 {
		date = oneOfShapes(enumShape(revisions), refer("placeholder"))
	}
	dialect := shape{}
	one := closed(shape{
		"carrier": described(listShape(enumShape([]string{"B", "P", "I", "H", "A"})), "a list of where its properties travel: "+
			"B in _meta, P in _meta with the prefix of the proposals, I beside name and arguments, H in an HTTP header, A among the arguments"),
		"method": described(enumShape([]string{"M", "T", "W"}), "how its methods are offered: "+
			"M as methods, T as tools, W beside MCP over plain HTTP, which only the manifest knows"),
	})
	for _, extension := range append(extensions[:len(extensions):len(extensions)], family) {
		dialect[extension] = described(one, "one extension, by its name")
	}
	return closed(shape{
		"target": described(targetShape(), "the server and how it is reached"),
		"revision": described(oneOfShapes(enumShape([]string{"auto", "all"}), date, listShape(date),
			shape{"type": "string", "pattern": "^[0-9-]+( *, *[0-9-]+)+$"}), "auto, all, a date, or several"),
		"transport": described(oneOfShapes(enumShape([]string{string(Auto), string(Stdio), string(HTTP), string(SSE)}), refer("placeholder")),
			"auto is all that the target has"),
		"claims":     described(listShape(claimShape(extensions)), "extensions to judge whatever the server declares; with a dash: not to judge"),
		"dialect":    described(closed(dialect), "how an extension is spoken with the server"),
		"wait":       described(waitShape(), "how long things are awaited"),
		"limits":     described(limitShape(), "what the kit sends and reads at most"),
		"secrets":    described(listShape(textShape()), "strings that must appear nowhere"),
		"words":      described(wordShape(), "words that some proposals leave to the server"),
		"stress":     described(refer("flag"), "judge load and memory too"),
		"external":   described(refer("flag"), "URLs of other hosts may be requested"),
		"production": described(refer("flag"), "false: internals that are shown are warnings"),
		"baseline":   described(listShape(expectedShape(date)), "failures that are known and, for now, accepted"),
	})
}

func targetShape() shape {
	return closed(shape{
		"command": described(refer("command"), "the server over stdio"),
		"args":    described(listShape(refer("scalar")), "appended to command, or to start"),
		"cwd":     described(textShape(), "where commands run; from the directory of the file"),
		"env":     described(mapShape(), "added to the environment"),
		"url":     described(refer("url"), "the Streamable HTTP endpoint"),
		"headers": described(mapShape(), "sent with every request"),
		"start":   described(refer("command"), "the command that serves url"),
		"wait": described(refer("duration"), usually(
			"how long url is polled until it answers, and not with HTTP status 502, 503 or 504", Default().Target.Wait)),
		"durable":          described(refer("flag"), "true if state outlives the process, false if each process has its own"),
		"sse-url":          described(refer("url"), "the HTTP+SSE endpoint of 2024-11-05"),
		"well-known-url":   described(refer("url"), "the well-known document"),
		"capabilities-url": described(refer("url"), "the manifest over HTTP"),
		"kit-url":          described(refer("url"), "the origin under which the target reaches the kit"),
		"ca":               described(textShape(), "a PEM file of certificates to trust beside those of the system"),
		"http2":            described(refer("flag"), "HTTP/2 is spoken from the first byte on, where a server speaks nothing else"),
	})
}

// usually adds the default of a key to what it means.
func usually(text string, value any) string { return text + ", by default " + fmt.Sprint(value) }

func mebibytes(n int64) string { return strconv.FormatInt(n>>20, 10) + "MiB" }

func waitShape() shape {
	usual := Default().Wait
	return closed(shape{
		"event": described(refer("duration"), "how long a notification is awaited, by default twenty round trips of the server, "+
			"from 0.3s to 5s; one that has to come, a second at least"),
		"default-ttl": described(refer("duration"), usually("the pause that tests default lifetimes", usual.DefaultTTL)),
		"max":         described(refer("duration"), usually("the longest single wait", usual.Max)),
	})
}

func limitShape() shape {
	usual := Default().Limits
	return closed(shape{
		"max-upload":    described(refer("size"), usually("the largest body the kit makes up", mebibytes(usual.MaxUpload))),
		"frame":         described(refer("size"), usually("the largest message that is read", mebibytes(usual.Frame))),
		"pages":         described(refer("count"), usually("pages of one list", usual.Pages)),
		"depth":         described(refer("count"), usually("calls of each read-only tool with varied arguments", usual.Depth)),
		"reads":         described(refer("count"), usually("items tried as a sample", usual.Reads)),
		"rounds":        described(refer("count"), usually("rounds of input in one call", usual.Rounds)),
		"ping":          described(refer("duration"), usually("a slower ping is a warning", usual.Ping)),
		"progress-rate": described(refer("count"), usually("notifications for one request within a second that are a flood", usual.ProgressRate)),
		"rate":          described(refer("count"), "requests per second, where the server refuses more"),
	})
}

func wordShape() shape {
	return closed(shape{
		"recommend":       described(textShape(), usually("the capability that recommendations are asked for", Default().Words.Recommend)),
		"trigger-phrases": described(listShape(textShape()), "phrases added to the known ones"),
	})
}

func expectedShape(revision shape) shape {
	return closed(shape{
		"case":      described(textShape(), "the id of the case"),
		"revision":  described(revision, "only at this one"),
		"transport": described(enumShape([]string{string(Stdio), string(HTTP), string(SSE)}), "only over this one"),
		"reason":    described(textShape(), "why it is accepted"),
		"until":     described(shape{"type": "string", "pattern": `^[0-9]{4}-[0-9]{2}-[0-9]{2}$`}, "the last day it holds"),
	}, "case", "reason")
}
