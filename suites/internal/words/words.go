// Package words knows the phrases that texts for authors of MCP servers do not
// use: inverted order, and nouns that the protocol does not have. The right
// words are in the comments.
package words

import (
	"regexp"
	"strings"
)

// Each phrase has its own alternative, the longer one first where two begin alike.
var banned = regexp.MustCompile(`(?i)\b(?:` + strings.Join([]string{
	`(?:\S+ )?(?:is|are|was|were) no [a-z]+`, // is not a, is not valid, invalid
	`met with`,                               // gets
	`begun`,                                  // started
	`pass(?:ed|es)? over`,                    // ignored
	`in good order`,                          // say what happens
	`(?:go|goes|went) on`,                    // continues, keeps running
	`as ever`,                                // still works
	`put(?:s|ting)? up with`,                 // accept
	`turn(?:s|ed)? (?:\w+ ){0,2}away`,        // refused access
	`speaks? of`,                             // applies to
	`nobody (?:issued|asked)`,                // unknown
	`not seen to`,                            // say what was seen
	`serves again`,                           // may be reused
	`in other letter case`,                   // case-sensitive
	`to be had`,                              // available
	`mend(?:s|ed)?`,                          // fix
	`bent`,                                   // malformed
	`members?`,                               // property, entry
	`an? text(?: [a-z]+)?`,                   // string
	`texts`,                                  // strings
}, "|") + `)\b`)

// plain matches phrases that look banned and are plain: "there is no tool", "it
// is no longer listed", "a text block".
var plain = regexp.MustCompile(`(?i)^there |no (?:longer|more)$|` +
	`^an? text (?:block|content|file|frame|item|message|report|resource|stream)$`)

// value matches values of the wire, which stand in quotation marks and which we
// do not choose.
var value = regexp.MustCompile(`"[a-z_]+"`)

// Banned returns the phrases of a text that need other words.
func Banned(text string) []string {
	var found []string
	for _, hit := range banned.FindAllString(value.ReplaceAllString(strings.Join(strings.Fields(text), " "), "CODE"), -1) {
		if !plain.MatchString(hit) {
			found = append(found, hit)
		}
	}
	return found
}
