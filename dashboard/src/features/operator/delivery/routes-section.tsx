import { useState } from 'react'
import { HoldRoute } from '../../../../../src/features/operator/delivery/routes-and-sources/schema.ts'
import { call, type Reply } from '../../../api.ts'
import { useCall } from '../../../queries.ts'
import { useAct } from '../../../ui/act.ts'
import { Badge, type Tone } from '../../../ui/badge.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { Card } from '../../../ui/page.tsx'
import { rich } from '../../../ui/rich.tsx'
import type { Column } from '../../../ui/row-parts.tsx'
import { Rows } from '../../../ui/rows.tsx'
import { SchemaForm } from '../../../ui/schema-form.tsx'
import { Time } from '../../../ui/time.tsx'
import { texts } from './texts.ts'

type Route = Reply<'operator.delivery.routes.list'>['data'][number]
type Asked = { readonly act: 'hold' | 'release' | 'try'; readonly route: string }

const REFRESH_MS = 10_000

/** The ways out. None while nothing leaves, or nobody knows yet. */
export function useRoutes(): readonly Route[] {
  const routes = useCall('operator.delivery.routes.list', {}, { refetchInterval: () => REFRESH_MS })
  return routes.data?.data ?? []
}

/** Ways that take no mail: nothing is more urgent. */
export function RoutesBanner() {
  const down = useRoutes().filter(({ state }) => state === 'down')
  if (down.length === 0) return null
  return (
    <div className="form-error delivery-banner" role="alert">
      {down.map((route) => (
        <p key={route.name}>
          {texts.routes.isDown(route.name, route.last_fault?.about ?? texts.routes.takesNone)} <RetryAt route={route} />
        </p>
      ))}
    </div>
  )
}

/** Which ways mail can take, and whether each takes it. */
export function RoutesSection() {
  const [asked, setAsked] = useState<Asked | null>(null)
  const routes = useRoutes()
  if (routes.length === 0) return null
  return (
    <Card title={texts.routes.title}>
      <p className="muted">{texts.routes.note}</p>
      <div className="delivery-groups">
        <Rows
          label={texts.routes.title}
          columns={columnsOf(setAsked)}
          items={routes.map((route) => ({ ...route, id: route.name }))}
        />
      </div>
      <RouteDialog asked={asked} onClose={() => setAsked(null)} />
    </Card>
  )
}

const TONES: Readonly<Record<Route['state'], Tone>> = { up: 'good', down: 'bad', held: 'warn' }

const columnsOf = (ask: (asked: Asked) => void): Column<Route & { readonly id: string }>[] => {
  const { columns, states, kinds } = texts.routes
  return [
    { name: columns.name, kind: 'title', cell: ({ name }) => <strong>{name}</strong> },
    {
      name: columns.state,
      kind: 'status',
      cell: ({ state }) => <Badge word={states[state]} tone={TONES[state]} />,
    },
    { name: columns.why, kind: 'main', cell: (route) => <Why route={route} /> },
    { name: columns.kind, kind: 'aside', cell: ({ kind, host }) => [kinds[kind], host].filter(Boolean).join(', ') },
    { name: columns.since, kind: 'time', cell: ({ since }) => <Time at={since} /> },
    {
      name: columns.actions,
      kind: 'end',
      cell: ({ name: route, state }) => (
        <Menu
          label={texts.routes.actions(route)}
          items={[
            ...(state === 'down' ? [{ label: texts.routes.try, onChoose: () => ask({ act: 'try', route }) }] : []),
            state === 'held'
              ? { label: texts.routes.release, onChoose: () => ask({ act: 'release', route }) }
              : { label: texts.routes.hold, isDangerous: true, onChoose: () => ask({ act: 'hold', route }) },
          ]}
        />
      ),
    },
  ]
}

/** What is in the way, and below it what was said last. */
function Why({ route }: { route: Route }) {
  const { state, last_fault, hold_reason } = route
  return (
    <>
      {state === 'held' && <span className="delivery-why">{hold_reason}</span>}
      {state === 'down' && (
        <span className="delivery-why">
          {texts.routes.fault(last_fault?.about ?? texts.routes.takesNone)} <RetryAt route={route} />
        </span>
      )}
      {last_fault && (
        <small className="delivery-why muted" title={last_fault.reply}>
          {state === 'down'
            ? last_fault.reply
            : rich(texts.routes.lastFault, { time: <Time at={last_fault.at} />, reply: last_fault.reply })}
        </small>
      )}
    </>
  )
}

const RetryAt = ({ route: { retry_at } }: { route: Route }) =>
  retry_at === null || Date.parse(retry_at) <= Date.now()
    ? texts.routes.retryNext
    : rich(texts.routes.retryAt, { time: <Time at={retry_at} exact /> })

function RouteDialog({ asked, onClose }: { asked: Asked | null; onClose: () => void }) {
  const change = useAct({
    run: ({ act, route, reason }: Asked & { readonly reason: string }) =>
      call(act === 'hold' ? 'operator.delivery.routes.hold' : 'operator.delivery.routes.release', {
        body: { route, reason },
      }),
    refresh: ['operator.delivery'],
    done: ({ route }) => texts.routes.dialogs[asked?.act ?? 'hold'].done(route),
  })
  if (!asked) return null
  const words = texts.routes.dialogs[asked.act]
  return (
    <Dialog title={words.title(asked.route)} note={words.note} isOpen onClose={onClose}>
      <SchemaForm
        shape={HoldRoute}
        fields={[{ name: 'reason', label: texts.routes.reason, hint: texts.routes.reasonHint, isLong: true }]}
        act={words.confirm}
        onSubmit={({ reason }) => change.mutateAsync({ ...asked, reason }).then(onClose)}
      />
    </Dialog>
  )
}
