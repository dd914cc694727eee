package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-conform/mcp-conform/suites/core/internal/shapes"
	"github.com/mcp-conform/mcp-conform/suites/probe"
)

// mediaRow judges what content and resources hold by its first bytes. Most kinds of data
// have no mark, or several kinds the same, so only a plain contradiction counts.
func mediaRow() shapes.Row {
	return shapes.Row{
		Slug: "media-type-of-bytes", Title: "images, recordings and binary resources are of the media type that stands beside them",
		Rule:  "schema-media-type-of-bytes",
		Fix:   "take mimeType from the data, and not from a default or the name of a file",
		Judge: ofItsType,
	}
}

// onMedia judges each object in results that has data and a media type.
func onMedia(judge shapes.Judge) func() probe.Watcher {
	return probe.OnResults([]string{"tools/call", "prompts/get", "resources/read"}, func(a probe.Answer) probe.Opinion {
		said := probe.Nothing()
		for _, array := range []struct{ at, inner string }{
			{"/result/content", ""}, {"/result/messages", "/content"}, {"/result/contents", ""},
		} {
			for i := range probe.ArrayOf(a.Value(array.at)) {
				block := array.at + "/" + strconv.Itoa(i) + array.inner
				said = said.And(judge(a.Message, block)).And(judge(a.Message, block+"/resource"))
			}
		}
		return said
	})
}

func ofItsType(m probe.Message, at string) probe.Opinion {
	stated, ok := m.Value(at + "/mimeType").(string)
	if !ok {
		return probe.Nothing()
	}
	for _, name := range []string{"data", "blob"} {
		data, decoded := shapes.Bytes(m.Value(at + "/" + name))
		if !decoded || len(data) == 0 {
			continue
		}
		if other, contradicts := contradiction(stated, data); contradicts {
			return probe.Breaks("%s is %s and %s begins like %s, want the media type of the data",
				m.Where(at+"/mimeType"), probe.Show(stated), m.Where(at+"/"+name), other)
		}
		return probe.Kept()
	}
	return probe.Nothing()
}

// A signature is how data of a kind begins.
type signature struct {
	kind  string
	begin string   // each ? is any byte
	names []string // media types that may begin so
}

// signatures are marks that no text begins with, but for those of PDF and GIF. Other kinds
// may share a mark with these, so that a media type that stands nowhere is not judged.
func signatures() []signature {
	wav, mp3 := []string{"audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave"}, []string{"audio/mpeg", "audio/mp3"}
	flac := []string{"audio/flac", "audio/x-flac"}
	return []signature{
		{"a PNG image", "\x89PNG\r\n\x1a\n", []string{"image/png"}},
		{"a JPEG image", "\xff\xd8\xff", []string{"image/jpeg", "image/jpg"}},
		{"a GIF image", "GIF87a", []string{"image/gif"}},
		{"a GIF image", "GIF89a", []string{"image/gif"}},
		{"a WebP image", "RIFF????WEBP", []string{"image/webp"}},
		{"a WAV recording", "RIFF????WAVE", wav},
		{"a FLAC recording", "fLaC", flac},
		{"an Ogg recording", "OggS", append([]string{"audio/ogg"}, flac...)},
		{"a recording with an ID3 tag", "ID3", slices.Concat(mp3, wav, flac, []string{"audio/ogg"})},
		{"a PDF document", "%PDF-", []string{"application/pdf"}},
	}
}

// contradiction reports as what data begins, where that is of another kind than a media
// type of which it is known how its data begins.
func contradiction(stated string, data []byte) (kind string, contradicts bool) {
	stated, _, _ = strings.Cut(stated, ";")
	stated = strings.ToLower(strings.TrimSpace(stated))
	all := signatures()
	known := slices.ContainsFunc(all, func(s signature) bool { return slices.Contains(s.names, stated) })
	i := slices.IndexFunc(all, func(s signature) bool { return s.matches(data) })
	if i < 0 || !known || slices.Contains(all[i].names, stated) {
		return "", false
	}
	return all[i].kind, true
}

func (s signature) matches(data []byte) bool {
	if len(data) < len(s.begin) {
		return false
	}
	for i, want := range []byte(s.begin) {
		if want != '?' && data[i] != want {
			return false
		}
	}
	return true
}
