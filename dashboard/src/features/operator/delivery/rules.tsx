import { type ReactNode, useState } from 'react'
import {
  CEILING_KEYS,
  CreateCeiling,
  RemoveCeilingQuery,
  SCOPE_KEYS,
  UpdateCeiling,
} from '../../../../../src/features/operator/delivery/schema.ts'
import { call, type Item } from '../../../api.ts'
import { useCall } from '../../../queries.ts'
import { useAct } from '../../../ui/act.ts'
import { Button } from '../../../ui/button.tsx'
import { CursorList } from '../../../ui/cursor-list.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { Card } from '../../../ui/page.tsx'
import type { Column } from '../../../ui/row-parts.tsx'
import { Rows } from '../../../ui/rows.tsx'
import { SchemaForm } from '../../../ui/schema-form.tsx'
import { Time } from '../../../ui/time.tsx'
import { texts } from './texts.ts'

type Rule = Item<'operator.delivery.ceilings.list'>
type Scope = Partial<Pick<Rule, 'provider' | 'site' | 'domain'>>
type Asked = { readonly act: 'add' } | { readonly act: 'edit' | 'remove'; readonly rule: Rule } | null

/** All rules of ceilings that operators have made here. */
export const Rules = () => (
  <RulesSection scope={{}} note={texts.rules.note}>
    {(columns) => (
      <CursorList
        label={texts.rules.label}
        list="operator.delivery.ceilings.list"
        input={{}}
        columns={columns}
        empty={<p className="muted">{texts.rules.none}</p>}
      />
    )}
  </RulesSection>
)

/** Those that name one destination. */
export function RulesOf({ kind, name }: { kind: 'provider' | 'site' | 'domain'; name: string }) {
  const rules = useCall('operator.delivery.ceilings.list', { limit: 100 })
  const own = rules.data?.data.filter((rule) => rule[kind] === name) ?? []
  return (
    <RulesSection scope={{ [kind]: name }}>
      {(columns) =>
        own.length > 0 ? (
          <Rows label={texts.rules.label} columns={columns} items={own} />
        ) : (
          <p className="muted">{texts.rules.noneHere}</p>
        )
      }
    </RulesSection>
  )
}

interface RulesSectionProps {
  /** What a new rule is about, to begin with. */
  readonly scope: Scope
  readonly note?: string
  readonly children: (columns: readonly Column<Rule>[]) => ReactNode
}

function RulesSection({ scope, note, children }: RulesSectionProps) {
  const [asked, setAsked] = useState<Asked>(null)
  return (
    <Card
      title={texts.rules.title}
      actions={
        <Button needs="operator.delivery.ceilings.create" onClick={() => setAsked({ act: 'add' })}>
          {texts.rules.add}
        </Button>
      }
    >
      {note && <p className="muted">{note}</p>}
      {children(columnsOf(setAsked))}
      <RuleDialogs asked={asked} scope={scope} onClose={() => setAsked(null)} />
    </Card>
  )
}

const columnsOf = (ask: (asked: Asked) => void): Column<Rule>[] => {
  const { columns } = texts.rules
  return [
    { name: columns.scope, kind: 'title', cell: scopeText },
    { name: columns.values, kind: 'main', cell: valuesText },
    { name: columns.reason, kind: 'aside', cell: ({ reason }) => reason },
    { name: columns.changed, kind: 'time', cell: ({ updated_at }) => <Time at={updated_at} /> },
    {
      name: columns.actions,
      kind: 'end',
      cell: (rule) => (
        <Menu
          label={texts.rules.actions(scopeText(rule))}
          items={[
            { label: texts.rules.edit, onChoose: () => ask({ act: 'edit', rule }) },
            { label: texts.rules.remove, isDangerous: true, onChoose: () => ask({ act: 'remove', rule }) },
          ]}
        />
      ),
    },
  ]
}

/** `Provider gmail, Sending address 192.0.2.1`. */
const scopeText = (rule: Rule) =>
  SCOPE_KEYS.flatMap((key) => (rule[key] === null ? [] : [`${texts.rules.scope[key]} ${rule[key]}`])).join(', ') ||
  texts.rules.everything

const valuesText = (rule: Rule) =>
  CEILING_KEYS.flatMap((key) => (rule[key] === null ? [] : [`${texts.ceilings.names[key]} ${rule[key]}`])).join(', ')

const REASON = { name: 'reason', label: texts.rules.reason, hint: texts.rules.reasonHint } as const

const hintOf = (name: string) =>
  name === 'rate'
    ? texts.rules.rateHint
    : name === 'connections'
      ? texts.rules.connectionsHint
      : name.endsWith('_timeout')
        ? texts.rules.timeoutHint
        : undefined

const FIELDS = [
  { name: 'provider', label: texts.rules.scope.provider },
  { name: 'site', label: texts.rules.scope.site, hint: texts.rules.scopeHint.site },
  { name: 'domain', label: texts.rules.scope.domain, placeholder: 'example.com' },
  { name: 'source', label: texts.rules.scope.source, hint: texts.rules.scopeHint.source },
  ...CEILING_KEYS.map((name) => {
    const hint = hintOf(name)
    return { name, label: texts.ceilings.names[name]!, ...(hint && { hint }) }
  }),
  REASON,
] as const

interface RuleDialogsProps {
  readonly asked: Asked
  readonly scope: Scope
  readonly onClose: () => void
}

function RuleDialogs({ asked, scope, onClose }: RuleDialogsProps) {
  const { addDialog, editDialog, removeDialog } = texts.rules
  const refresh = ['operator.delivery'] as const
  const add = useAct({
    run: (body: Parameters<typeof call<'operator.delivery.ceilings.create'>>[1]['body']) =>
      call('operator.delivery.ceilings.create', { body }),
    ...{ refresh, done: addDialog.done },
  })
  const edit = useAct({
    run: (input: Parameters<typeof call<'operator.delivery.ceilings.update'>>[1]) =>
      call('operator.delivery.ceilings.update', input),
    ...{ refresh, done: editDialog.done },
  })
  const remove = useAct({
    run: (input: { id: string; reason: string }) => call('operator.delivery.ceilings.remove', input),
    ...{ refresh, done: removeDialog.done },
  })
  return (
    <>
      <Dialog title={addDialog.title} isOpen={asked?.act === 'add'} onClose={onClose} isWide>
        <SchemaForm
          shape={CreateCeiling}
          fields={FIELDS}
          initial={scope}
          act={addDialog.submit}
          onSubmit={(body) => add.mutateAsync(body).then(onClose)}
        />
      </Dialog>
      <Dialog title={editDialog.title} isOpen={asked?.act === 'edit'} onClose={onClose} isWide>
        {asked?.act === 'edit' && (
          <SchemaForm
            shape={UpdateCeiling}
            fields={FIELDS}
            initial={{ ...asked.rule, reason: '' }}
            act={editDialog.submit}
            onSubmit={(body) => edit.mutateAsync({ id: asked.rule.id, body }).then(onClose)}
          />
        )}
      </Dialog>
      <Dialog
        title={asked?.act === 'remove' ? removeDialog.title(scopeText(asked.rule)) : ''}
        note={removeDialog.note}
        isOpen={asked?.act === 'remove'}
        onClose={onClose}
      >
        {asked?.act === 'remove' && (
          <SchemaForm
            shape={RemoveCeilingQuery}
            fields={[REASON]}
            act={removeDialog.submit}
            onSubmit={({ reason }) => remove.mutateAsync({ id: asked.rule.id, reason }).then(onClose)}
          />
        )}
      </Dialog>
    </>
  )
}
