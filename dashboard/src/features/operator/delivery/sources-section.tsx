import { useState } from 'react'
import { SteerWarmUp } from '../../../../../src/features/operator/delivery/routes-and-sources/schema.ts'
import { call, type Reply } from '../../../api.ts'
import { useCall } from '../../../queries.ts'
import { useAct } from '../../../ui/act.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { formatNumber } from '../../../ui/locale.ts'
import { Menu } from '../../../ui/menu.tsx'
import { Card } from '../../../ui/page.tsx'
import { rich } from '../../../ui/rich.tsx'
import type { Column } from '../../../ui/row-parts.tsx'
import { Rows } from '../../../ui/rows.tsx'
import { SchemaForm } from '../../../ui/schema-form.tsx'
import { Time } from '../../../ui/time.tsx'
import { texts } from './texts.ts'

type Sources = Reply<'operator.delivery.sources.list'>
type Source = Sources['data'][number] & { readonly id: string }
type WarmUp = Source['warm_ups'][number] & {
  readonly id: string
  readonly name: string
  readonly of: 'source' | 'domain'
}
type Provider = NonNullable<Parameters<typeof call<'operator.delivery.sources.finish'>>[1]['body']['provider']>

/** Which warm-up, of whom. Without a provider: at all of them. */
interface Asked {
  readonly act: 'restart' | 'finish'
  readonly of: 'source' | 'domain'
  readonly name: string
  readonly provider?: string
}

const REFRESH_MS = 30_000

/** The addresses that mail leaves from, and how far providers know them. */
export function SourcesSection() {
  const [asked, setAsked] = useState<Asked | null>(null)
  const sources = useCall('operator.delivery.sources.list', {}, { refetchInterval: () => REFRESH_MS })
  if (!sources.data || sources.data.data.length === 0) return null
  const warmUps = warmUpsOf(sources.data)
  return (
    <>
      <Card title={texts.sources.title}>
        <div className="delivery-groups">
          <Rows
            label={texts.sources.title}
            columns={sourceColumns(setAsked)}
            items={sources.data.data.map((source) => ({ ...source, id: source.name }))}
          />
        </div>
        <WarmUpDialog asked={asked} onClose={() => setAsked(null)} />
      </Card>
      {warmUps.length > 0 && (
        <Card title={texts.warmUps.title}>
          <p className="muted">{texts.warmUps.note}</p>
          <Rows label={texts.warmUps.title} columns={warmUpColumns(setAsked)} items={warmUps} />
        </Card>
      )}
    </>
  )
}

const warmUpsOf = ({ data, domains }: Sources): WarmUp[] =>
  [
    ...data.map((source) => ({ ...source, of: 'source' as const })),
    ...domains.map((domain) => ({ ...domain, of: 'domain' as const })),
  ].flatMap(({ of, name, warm_ups }) =>
    warm_ups.map((warmUp) => ({ ...warmUp, of, name, id: `${of} ${name} ${warmUp.provider}` })),
  )

const sourceColumns = (ask: (asked: Asked) => void): Column<Source>[] => {
  const { columns } = texts.sources
  return [
    { name: columns.name, kind: 'title', cell: ({ name }) => <strong>{name}</strong> },
    { name: columns.state, kind: 'status', cell: (source) => <SourceState {...source} /> },
    { name: columns.address, kind: 'main', cell: (source) => <Address source={source} /> },
    {
      name: columns.pools,
      cell: ({ pools }) => pools.map(({ name, weight }) => texts.sources.pool(name, formatNumber(weight))).join(', '),
    },
    { name: columns.processes, cell: ({ processes }) => texts.sources.processes(processes) },
    {
      name: columns.actions,
      kind: 'end',
      cell: ({ name, warms_up }) =>
        warms_up && (
          <Menu label={texts.sources.actions(name)} items={actsFor({ of: 'source', name }, ask, texts.sources.acts)} />
        ),
    },
  ]
}

function SourceState({ processes, pauses }: Source) {
  const { states } = texts.sources
  if (processes === 0) return <Badge word={states.missing} tone="bad" />
  return pauses.length > 0 ? <Badge word={states.paused} tone="bad" /> : <Badge word={states.used} tone="good" />
}

/** The address with its name, and below it who refuses it. */
function Address({ source: { address, ehlo, pauses } }: { source: Source }) {
  return (
    <>
      <span className="delivery-why">{texts.sources.address(address, ehlo)}</span>
      {pauses.map(({ destination, paused_until, reply }) => (
        <small key={destination} className="delivery-why muted" title={reply}>
          {rich(texts.sources.paused, { destination, time: <Time at={paused_until} exact />, reply })}
        </small>
      ))}
    </>
  )
}

const warmUpColumns = (ask: (asked: Asked) => void): Column<WarmUp>[] => {
  const { columns } = texts.warmUps
  return [
    { name: columns.provider, kind: 'title', cell: ({ name, provider }) => texts.warmUps.at(name, provider) },
    { name: columns.state, kind: 'status', cell: (warmUp) => <WarmUpState {...warmUp} /> },
    { name: columns.sent, kind: 'main', cell: sentText },
    {
      name: columns.actions,
      kind: 'end',
      cell: ({ of, name, provider }) => (
        <Menu
          label={texts.sources.actions(texts.warmUps.at(name, provider))}
          items={actsFor({ of, name, provider }, ask, texts.warmUps.acts)}
        />
      ),
    },
  ]
}

function WarmUpState({ day, is_blocked, is_finished }: WarmUp) {
  const { states } = texts.warmUps
  if (is_finished) return <Badge word={states.finished} tone="good" />
  return is_blocked ? <Badge word={states.blocked} tone="bad" /> : <Badge word={states.day(day + 1)} tone="busy" />
}

const sentText = ({ sent_today, allowance, deferred_today }: WarmUp) =>
  sent_today === null || allowance === null
    ? texts.warmUps.unlimited
    : [
        texts.warmUps.sent(formatNumber(sent_today), formatNumber(allowance)),
        ...(deferred_today > 0 ? [texts.warmUps.deferred(formatNumber(deferred_today))] : []),
      ].join(', ')

const actsFor = (
  whose: Omit<Asked, 'act'>,
  ask: (asked: Asked) => void,
  labels: Readonly<Record<Asked['act'], string>>,
) => [
  { label: labels.restart, onChoose: () => ask({ act: 'restart', ...whose }) },
  { label: labels.finish, onChoose: () => ask({ act: 'finish', ...whose }) },
]

const CALLS = {
  restart: 'operator.delivery.sources.restart',
  finish: 'operator.delivery.sources.finish',
} as const

function WarmUpDialog({ asked, onClose }: { asked: Asked | null; onClose: () => void }) {
  const steer = useAct({
    run: ({ act, of, name, provider, reason }: Asked & { readonly reason: string }) =>
      call(CALLS[act], { body: { [of]: name, ...(provider && { provider: provider as Provider }), reason } }),
    refresh: ['operator.delivery'],
    done: texts.warmUps.dialogs[asked?.act ?? 'finish'].done,
  })
  if (!asked) return null
  const words = texts.warmUps.dialogs[asked.act]
  const what = asked.provider === undefined ? asked.name : texts.warmUps.at(asked.name, asked.provider)
  return (
    <Dialog title={words.title(what)} note={words.note} isOpen onClose={onClose}>
      <SchemaForm
        shape={SteerWarmUp}
        fields={[{ name: 'reason', label: texts.routes.reason, hint: texts.routes.reasonHint, isLong: true }]}
        act={words.confirm}
        onSubmit={({ reason }) => steer.mutateAsync({ ...asked, reason }).then(onClose)}
      />
    </Dialog>
  )
}
