import * as Radix from '@radix-ui/react-dropdown-menu'
import type { ReactNode } from 'react'
import { Icon } from '../../ui/icons.tsx'
import '../../ui/menu.css'
import type { KnownThread, Label, ThreadActs } from './acts.ts'
import { LabelDot } from './label-chip.tsx'
import './label-menu.css'
import { texts } from './texts.ts'

interface ChoiceMenuProps {
  readonly label: string
  readonly isOpen: boolean
  readonly onOpenChange: (isOpen: boolean) => void
  readonly trigger: ReactNode
  readonly children: ReactNode
}

/** A menu that a key opens as well as its button. */
const ChoiceMenu = ({ label, isOpen, onOpenChange, trigger, children }: ChoiceMenuProps) => (
  <Radix.Root modal={false} open={isOpen} onOpenChange={onOpenChange}>
    <Radix.Trigger asChild>{trigger}</Radix.Trigger>
    <Radix.Portal>
      <Radix.Content className="menu thread-choices" align="start" sideOffset={4} aria-label={label}>
        {children}
      </Radix.Content>
    </Radix.Portal>
  </Radix.Root>
)

type Opening = Pick<ChoiceMenuProps, 'isOpen' | 'onOpenChange' | 'trigger'>

interface LabelMenuProps extends Opening {
  readonly threads: readonly KnownThread[]
  readonly labels: readonly Label[]
  readonly acts: ThreadActs
  readonly onNew: () => void
}

/** Which labels the threads have. It stays open: one often sets several. */
export function LabelMenu({ threads, labels, acts, onNew, ...opening }: LabelMenuProps) {
  const stateOf = (label: Label) => {
    const having = threads.filter((thread) => thread.labels.some(({ id }) => id === label.id)).length
    return having === 0 ? false : having === threads.length ? true : 'indeterminate'
  }
  return (
    <ChoiceMenu label={texts.threadActs.labels} {...opening}>
      {labels.map((label) => (
        <Radix.CheckboxItem
          key={label.id}
          checked={stateOf(label)}
          textValue={label.name}
          onSelect={(event) => {
            event.preventDefault()
            void acts.label(threads, label, stateOf(label) !== true)
          }}
        >
          <LabelDot color={label.color} />
          <span>{label.name}</span>
          <Mark state={stateOf(label)} />
        </Radix.CheckboxItem>
      ))}
      <Radix.Item onSelect={() => setTimeout(onNew)}>
        <Icon name="plus" />
        <span>{texts.threadActs.newLabel}</span>
      </Radix.Item>
    </ChoiceMenu>
  )
}

const Mark = ({ state }: { state: boolean | 'indeterminate' }) =>
  state === 'indeterminate' ? (
    <span className="some">{texts.threadActs.someHaveLabel}</span>
  ) : state ? (
    <Icon name="check" />
  ) : null

interface AssignMenuProps extends Opening {
  readonly threads: readonly KnownThread[]
  readonly members: readonly { readonly email: string; readonly name: string }[]
  /** Whoever is signed in; null for a key. */
  readonly me: string | null
  readonly acts: ThreadActs
}

export function AssignMenu({ threads, members, me, acts, ...opening }: AssignMenuProps) {
  const mine = members.filter(({ email }) => email === me)
  const others = members.filter(({ email }) => email !== me)
  const isFor = (email: string | null) => threads.every(({ assignee_email }) => assignee_email === email)
  return (
    <ChoiceMenu label={texts.threadActs.assignTo} {...opening}>
      {[...mine, ...others].map(({ email, name }) => (
        <Radix.CheckboxItem
          key={email}
          checked={isFor(email)}
          textValue={name || email}
          onSelect={() => void acts.assign(threads, email)}
        >
          <span>
            {name || email}
            {email === me && ' (me)'}
            {name && <small className="muted">{email}</small>}
          </span>
          <Mark state={isFor(email)} />
        </Radix.CheckboxItem>
      ))}
      <Radix.Item disabled={isFor(null)} onSelect={() => void acts.assign(threads, null)}>
        <span>{texts.threadActs.unassigned}</span>
        <Mark state={isFor(null)} />
      </Radix.Item>
    </ChoiceMenu>
  )
}
