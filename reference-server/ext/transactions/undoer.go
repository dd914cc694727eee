package transactions

import (
	"slices"
	"strings"
	"sync"
)

// An undoer undoes the steps of transactions. Beyond compensate, its methods make the
// difference of a fault.
type undoer struct {
	undo   func(Call) error
	faults Switches
	store  *store
	older  outsideCalls
}

// outsideCalls are the calls outside of transactions, which a fault undoes too.
type outsideCalls struct {
	mu    sync.Mutex
	calls []Call
}

func (o *outsideCalls) add(c Call) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls = append(o.calls, c)
}

// compensate undoes the steps, the last one first, and says what became of each. After
// a step that cannot be undone it goes on: the client is better off with as little
// left as possible.
func (u *undoer) compensate(x *transaction) (undone []any, whole bool) {
	undone, whole = []any{}, true
	for _, s := range u.order(x) {
		if s.undo == nil {
			continue // nothing can be undone
		}
		entry := map[string]any{"step_id": s.id, "status": "compensated"}
		if !whole && u.faults.StopsAndSays {
			entry["status"] = "not_tried"
			undone = append(undone, entry)
			continue
		}
		if err := u.takeBack(x, s); err != nil {
			whole = false
			if !u.faults.FailureHidden {
				entry["status"], entry["error"] = "compensation_failed", upstream(err.Error())
			}
		}
		undone = append(undone, entry)
		if !whole && u.faults.StopsAtFailure {
			break
		}
	}
	return u.undoFurther(x, undone), whole || u.faults.FailureHidden
}

// order returns the steps in the order of the rollback.
func (u *undoer) order(x *transaction) []step {
	steps := slices.Clone(x.steps)
	switch {
	case u.faults.ForwardOrder:
		return steps
	case u.faults.OrderByText:
		slices.SortFunc(steps, func(a, b step) int { return strings.Compare(a.id, b.id) })
		return steps
	}
	slices.Reverse(steps)
	return steps
}

// takeBack undoes a step.
func (u *undoer) takeBack(x *transaction, s step) error {
	last := x.steps[len(x.steps)-1].id
	if u.faults.NothingUndone || u.faults.OnlyLastUndone && s.id != last {
		return nil
	}
	return u.undo(*s.undo)
}

// undoFurther undoes calls outside the transaction, and adds them to the answer.
func (u *undoer) undoFurther(x *transaction, undone []any) []any {
	if u.faults.FailedListed {
		for _, s := range x.failed {
			undone = append(undone, map[string]any{"step_id": s.id, "status": "compensated"})
		}
	}
	if u.faults.UndoesOlder {
		u.older.mu.Lock()
		defer u.older.mu.Unlock()
		for _, c := range u.older.calls {
			_ = u.undo(c)
		}
		u.older.calls = nil
	}
	for _, other := range u.others(x) {
		for _, s := range other.steps {
			switch {
			case u.faults.ListsOthers:
				undone = append(undone, map[string]any{"step_id": s.id, "status": "compensated"})
			case s.undo != nil:
				_ = u.undo(*s.undo)
			}
		}
		<-other.busy
	}
	return undone
}

// others takes the other open transactions that are not busy.
func (u *undoer) others(x *transaction) []*transaction {
	if !u.faults.RollbackAll && !u.faults.ListsOthers {
		return nil
	}
	u.store.mu.Lock()
	defer u.store.mu.Unlock()
	var all []*transaction
	for _, other := range u.store.open {
		if other == x {
			continue
		}
		select {
		case other.busy <- struct{}{}:
			all = append(all, other)
		default:
		}
	}
	return all
}
