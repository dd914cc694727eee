package streaming

import (
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/operations"
	"github.com/mcp-conform/mcp-conform/suites/ext/internal/proposal"
	"github.com/mcp-conform/mcp-conform/suites/probe"
	"github.com/mcp-conform/mcp-conform/suites/suite"
)

func chunks() []suite.Case {
	return []suite.Case{
		streaming("chunk-shape", "each chunk has its type, its operation and a sequence number", "ext-stream-chunk-shape",
			"send notifications/stream_chunk with type, operation_id and an integer sequence of 0 or more", chunkShape),
		streaming("sequence-order", "sequence numbers rise with each chunk", "ext-stream-sequence-order",
			"count the chunks of an operation, and send them in that order", sequenceOrder),
		streaming("sequence-complete", "sequence numbers start at 0 and have no gaps", "ext-stream-sequence-order",
			"give each chunk of an operation the number after that of the last one, and the first the number 0", sequenceComplete),
		streaming("final-once", "only the last chunk is marked as the final one", "ext-stream-final-once",
			"set is_final to the boolean true on the last chunk, and to false or not at all on the others", finalOnce),
		streaming("final-marked", "the last chunk is marked as the final one", "ext-stream-final-once",
			"set is_final to true on the last chunk, so that clients need not wait for the answer", finalMarked),
	}
}

// A server that declares the extension and never sends a chunk, wherever it is
// asked to, keeps nothing of what it declares.
func chunkShape(s *streamed) error {
	if len(s.chunks) == 0 && len(s.late) > 0 {
		s.some()
	}
	if len(s.chunks) == 0 && s.other {
		s.client.Note("the server sends notifications/tools/partial_result, another mechanism than that of this extension")
		s.some()
	}
	if len(s.chunks) == 0 {
		proposal.Undeclared(s.client)
		return s.reply.Violation(
			"no notifications/stream_chunk came before the answer to a call with _meta.stream true, want the result in pieces")
	}
	for _, chunk := range s.chunks {
		if problem := s.client.ExtensionProblem("streaming", "Chunk", chunk.Pointer(), chunk.Fields); problem != "" {
			return operations.Shown(s.reply, chunk.Seen).Violation("%s", problem)
		}
	}
	return nil
}

func sequenceOrder(s *streamed) error {
	numbers := s.numbers()
	for i := range numbers[1:] {
		if numbers[i+1] <= numbers[i] {
			return s.violation(s.chunks[i:i+2], "$.params.sequence is %d after %d, want more", numbers[i+1], numbers[i])
		}
	}
	return nil
}

func sequenceComplete(s *streamed) error {
	numbers := s.numbers()
	if numbers[0] > 0 {
		return s.violation(s.chunks[:1], "$.params.sequence of the first chunk is %d, want 0", numbers[0]).AtMostWarn()
	}
	for i := range numbers[1:] {
		if numbers[i+1] > numbers[i]+1 {
			return s.violation(s.chunks[i:i+2], "$.params.sequence is %d after %d, want no gap", numbers[i+1], numbers[i]).AtMostWarn()
		}
	}
	return nil
}

func (s *streamed) numbers() []int {
	s.some()
	numbers, ok := sequences(s.chunks)
	if !ok {
		s.client.NotSeen(unnumbered)
	}
	return numbers
}

func finalOnce(s *streamed) error {
	s.some()
	for i, chunk := range s.chunks {
		switch mark, ok := chunk.Fields["is_final"]; {
		case !ok || mark == false:
		case mark != true:
			return s.violation(s.chunks[i:i+1], "%s.is_final is %s, want a boolean", chunk.Where, probe.Show(mark))
		case i < len(s.chunks)-1:
			return s.violation(s.chunks[i:i+2], "%s.is_final is true, and another chunk follows, want it on the last one only", chunk.Where)
		}
	}
	numbers, ok := sequences(s.chunks)
	if !ok {
		return nil // which of them is the highest is judged by another case then
	}
	last := len(numbers) - 1
	for i, n := range numbers[:last] {
		if n > numbers[last] && s.chunks[last].Fields["is_final"] == true {
			return s.violation(s.chunks[i:],
				"$.params.sequence of the final chunk is %d, and another chunk has %d, want the highest on the final one",
				numbers[last], n)
		}
	}
	return nil
}

func finalMarked(s *streamed) error {
	s.some()
	for _, chunk := range s.chunks {
		if mark, ok := chunk.Fields["is_final"]; ok && mark != false {
			return nil // whether it is the right one is the rule of final-once
		}
	}
	last := s.chunks[len(s.chunks)-1:]
	return s.violation(last, "%s.is_final is true on none of %d chunks, want it on the last one", last[0].Where, len(s.chunks)).AtMostWarn()
}
