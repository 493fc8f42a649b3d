import { Button, IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import type { KnownThread, ThreadActs } from './acts.ts'
import { type MoveTarget, movesFrom } from './folders.ts'
import type { InboxMeta } from './inbox-meta.ts'
import { AssignMenu, LabelMenu } from './label-menu.tsx'
import { MOVES } from './sidebar-folders.ts'
import './thread-toolbar.css'
import { texts } from './texts.ts'

/** Which menu is open, wherever it was opened: by its button or by a key. */
export type OpenMenu = 'labels' | 'assign' | null

interface ThreadToolbarProps {
  readonly threads: readonly KnownThread[]
  readonly acts: Pick<ThreadActs, 'label' | 'assign'> & ThreadActs
  readonly meta: InboxMeta
  readonly openMenu: OpenMenu
  readonly onMenu: (menu: OpenMenu) => void
  readonly onMove: (to: MoveTarget) => void
  readonly onMark: (read: boolean) => void
  readonly onNewLabel: () => void
}

/** What can be done with the opened thread, or with those that are chosen. */
export function ThreadToolbar(props: ThreadToolbarProps) {
  const { threads, acts, meta, openMenu, onMenu, onMove, onMark, onNewLabel } = props
  const isUnread = threads.some(({ read }) => !read)
  return (
    <div className="thread-toolbar" role="toolbar" aria-label={texts.threadActs.toolbar}>
      {offeredMoves(threads).map((to) => (
        <IconButton
          key={to}
          icon={MOVES[to].icon}
          label={MOVES[to].label}
          needs="inboxes.threads.update"
          onClick={() => onMove(to)}
        />
      ))}
      <IconButton
        icon="mail"
        label={isUnread ? texts.threadActs.markAsRead : texts.threadActs.markAsUnread}
        needs="inboxes.threads.update"
        onClick={() => onMark(isUnread)}
      />
      <LabelMenu
        threads={threads}
        labels={meta.labels}
        acts={acts}
        onNew={onNewLabel}
        isOpen={openMenu === 'labels'}
        onOpenChange={(isOpen) => onMenu(isOpen ? 'labels' : null)}
        trigger={<IconButton icon="tag" label={texts.threadActs.labels} needs="inboxes.threads.labels.add" />}
      />
      {meta.members.length > 0 && (
        <AssignMenu
          threads={threads}
          members={meta.members}
          me={meta.me}
          acts={acts}
          isOpen={openMenu === 'assign'}
          onOpenChange={(isOpen) => onMenu(isOpen ? 'assign' : null)}
          trigger={
            <Button look="quiet" className="assignee" needs="inboxes.threads.update" title={texts.threadActs.assign}>
              <Icon name="person" />
              <span>{assigneeIn(threads, meta)}</span>
            </Button>
          }
        />
      )}
    </div>
  )
}

/** Of threads in several folders, everywhere that one of them is not. */
function offeredMoves(threads: readonly KnownThread[]): readonly MoveTarget[] {
  const offered = new Set(threads.flatMap(({ folder }) => movesFrom(folder)))
  return (['archive', 'inbox', 'spam', 'trash'] as const).filter((place) => offered.has(place))
}

function assigneeIn(threads: readonly KnownThread[], { members, me }: InboxMeta): string {
  const assignees = new Set(threads.map(({ assignee_email }) => assignee_email))
  const [one] = assignees
  if (assignees.size !== 1) return texts.threadActs.assignedToSeveral
  if (!one) return texts.threadActs.assign
  return one === me ? texts.threadActs.assignedToMe : members.find(({ email }) => email === one)?.name || one
}
