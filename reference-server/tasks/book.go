package tasks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/mcp-conform/mcp-conform/reference-server/core"
	"github.com/mcp-conform/mcp-conform/reference-server/fault"
	"github.com/mcp-conform/mcp-conform/suites/requirements"
)

// A Book is a file with the tasks of a server, for the process after it: a line of JSON for
// each task that is new, over or forgotten. Of several lines about a task, the last counts.
type Book struct {
	out     io.Writer
	trouble func(error)
	before  []entry // the tasks of earlier processes, the oldest first
}

// An entry is a line of a book.
type entry struct {
	ID       string                `json:"id"`
	Number   int                   `json:"number"`
	Owner    string                `json:"owner,omitempty"`
	Revision requirements.Revision `json:"revision"`
	Created  time.Time             `json:"created"`
	Updated  time.Time             `json:"updated"`
	TTL      *float64              `json:"ttl,omitempty"`
	Status   string                `json:"status"`
	Message  string                `json:"message,omitempty"`
	Result   fault.Message         `json:"result,omitempty"`
	Failure  *core.Error           `json:"failure,omitempty"`
	Lost     bool                  `json:"lost,omitempty"`
	Gone     bool                  `json:"gone,omitempty"` // forgotten
}

// OpenBook reads a book, or begins one where there is no file. The server tells trouble of
// tasks that it could not write.
func OpenBook(path string, trouble func(error)) (*Book, error) {
	written, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	whole := bytes.LastIndexByte(written, '\n') + 1 // a process may have ended within its last line
	before, err := read(written[:whole])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if whole < len(written) {
		if err := os.Truncate(path, int64(whole)); err != nil {
			return nil, err
		}
	}
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	return &Book{out: out, trouble: trouble, before: before}, nil
}

// read gives the tasks that are not forgotten.
func read(lines []byte) ([]entry, error) {
	var all []entry
	place := map[string]int{}
	for n, line := range bytes.Split(bytes.TrimSuffix(lines, []byte("\n")), []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var e entry
		from := json.NewDecoder(bytes.NewReader(line))
		from.UseNumber()
		if err := from.Decode(&e); err != nil || e.ID == "" {
			return nil, fmt.Errorf("line %d is no task of this server", n+1)
		}
		if at, known := place[e.ID]; known {
			all[at] = e
			continue
		}
		place[e.ID] = len(all)
		all = append(all, e)
	}
	var left []entry
	for _, e := range all {
		if !e.Gone {
			left = append(left, e)
		}
	}
	return left, nil
}

// recall takes the tasks of the earlier processes over. A task that was not over has failed:
// its tool ended with its process.
func (s *store) recall() {
	if s.Book == nil {
		return
	}
	for _, e := range s.Book.before {
		t := &task{
			id: e.ID, number: e.Number, owner: e.Owner, revision: e.Revision, created: e.Created, lost: e.Lost,
			ttl: e.TTL, updated: e.Updated, status: e.Status, message: e.Message, result: e.Result, failure: e.Failure,
			changed: make(chan struct{}),
		}
		s.byID[t.id], s.order, s.next = t, append(s.order, t), max(s.next, t.number)
		if !t.over() {
			const why = "the server ended before the task did"
			t.failure = &core.Error{Code: core.InternalError, Message: why}
			s.become(t, failed, why)
			s.write(t, false)
		}
	}
}

// write puts a task into the book; the mutex of the store is held.
func (s *store) write(t *task, gone bool) {
	if s.Book == nil {
		return
	}
	e := entry{ID: t.id, Gone: true}
	if !gone {
		e = entry{
			ID: t.id, Number: t.number, Owner: t.owner, Revision: t.revision, Created: t.created, Updated: t.updated, TTL: t.ttl,
			Status: t.status, Message: t.message, Result: t.result, Failure: t.failure, Lost: t.lost,
		}
	}
	line, err := json.Marshal(e)
	if err == nil {
		_, err = s.Book.out.Write(append(line, '\n'))
	}
	if err != nil {
		s.Book.trouble(fmt.Errorf("the task %s is not in the book: %w", t.id, err))
	}
}
