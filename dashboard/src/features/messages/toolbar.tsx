import { Button } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import type { MessageActs } from './acts.ts'
import { type Filter, isEmpty } from './filter.ts'
import type { MessageRow, MessageScope } from './message-scope.ts'
import { asInput } from './use-messages.ts'
import './toolbar.css'
import { texts } from './texts.ts'

interface ToolbarProps {
  readonly scope: MessageScope
  readonly rows: readonly MessageRow[]
  readonly selected: readonly string[]
  readonly selectAll: () => void
  readonly clearSelection: () => void
  readonly acts: MessageActs
  readonly filter: Filter
  readonly onRemove: () => void
  readonly onRemoveAll: () => void
}

/** What can be done with the chosen ones, and with all. */
export function Toolbar(props: ToolbarProps) {
  const { scope, rows, selected, selectAll, clearSelection, acts, filter, onRemove, onRemoveAll } = props
  const [count, all] = [selected.length, rows.length]
  const mark = (is_read: boolean) => acts.mark.mutate({ ids: selected, marks: { is_read } })
  return (
    <div className="message-tools">
      <label>
        <input
          type="checkbox"
          aria-label={count > 0 ? texts.toolbar.selectNone : texts.toolbar.selectAll}
          checked={count > 0 && count === all}
          disabled={all === 0}
          ref={(box) => {
            if (box) box.indeterminate = count > 0 && count < all
          }}
          onChange={count > 0 ? clearSelection : selectAll}
        />
        <span className="muted">{count > 0 ? texts.toolbar.selected(count) : texts.toolbar.selectAll}</span>
      </label>
      {count > 0 ? (
        <>
          <Button look="quiet" needs="messages.update" onClick={() => mark(true)}>
            {texts.actions.markAsRead}
          </Button>
          <Button look="quiet" needs="messages.update" onClick={() => mark(false)}>
            {texts.actions.markAsUnread}
          </Button>
          {scope.canDelete && (
            <Button look="quiet" icon="trash" needs="messages.remove" onClick={onRemove}>
              {texts.toolbar.delete}
            </Button>
          )}
        </>
      ) : (
        <>
          <Button
            look="quiet"
            icon="check"
            needs="messages.update-all"
            disabled={!rows.some(({ is_read }) => !is_read)}
            isBusy={acts.markAllRead.isPending}
            onClick={() => acts.markAllRead.mutate(asInput(filter))}
          >
            {texts.toolbar.markAllAsRead}
          </Button>
          {scope.canDelete && (
            <Menu
              label={texts.toolbar.menu}
              items={[
                {
                  label: isEmpty(filter) ? texts.toolbar.deleteAll : texts.toolbar.deleteResults,
                  needs: 'messages.remove-all',
                  isDangerous: true,
                  isOff: all === 0,
                  onChoose: onRemoveAll,
                },
              ]}
            />
          )}
        </>
      )}
    </div>
  )
}
