import { MoveMail, SteerMail } from '../../../../../src/features/operator/delivery/schema.ts'
import { call, type Reply } from '../../../api.ts'
import { useAct } from '../../../ui/act.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { SchemaForm } from '../../../ui/schema-form.tsx'
import { texts } from './texts.ts'

const ACTS = {
  hold: 'operator.delivery.hold',
  retry: 'operator.delivery.retry',
  move: 'operator.delivery.move',
  bounce: 'operator.delivery.bounce',
  cancel: 'operator.delivery.cancel',
} as const

export type SteerAct = keyof typeof ACTS

/** What is to be done to which mail. */
export interface Steering {
  readonly act: SteerAct
  readonly mail: { readonly destination: string } | { readonly email: string }
  /** In words: `gmail`, `ada@example.com`. */
  readonly what: string
}

const REASON = { name: 'reason', label: texts.steer.reason, hint: texts.steer.reasonHint, isLong: true } as const

/** As `postwren queue move` calls it. */
const NO_ROUTE = 'none'

interface SteerDialogProps {
  readonly asked: Steering | null
  /** What mail can be moved to. */
  readonly routes: readonly string[]
  readonly onClose: () => void
}

/** Asks why, and does it. */
export function SteerDialog({ asked, routes, onClose }: SteerDialogProps) {
  const steer = useAct({
    run: ({ act, mail, ...given }: Steering & { readonly reason: string; readonly route?: string | null }) =>
      act === 'move'
        ? call(ACTS.move, {
            body: { ...mail, reason: given.reason, route: given.route === NO_ROUTE ? null : given.route! },
          })
        : call(ACTS[act], { body: { ...mail, reason: given.reason } }),
    refresh: ['operator.delivery'],
    done: (reply) => doneText(asked?.act ?? 'retry', reply),
  })
  if (!asked) return null
  const words = texts.steer.dialogs[asked.act]
  const options = [
    ...routes.map((name) => ({ value: name, label: name })),
    { value: NO_ROUTE, label: texts.steer.byRules },
  ]
  return (
    <Dialog title={words.title(asked.what)} note={words.note} isOpen onClose={onClose}>
      {asked.act === 'move' ? (
        <SchemaForm
          shape={MoveMail}
          fields={[{ name: 'route', label: texts.steer.route, options }, REASON]}
          act={words.confirm}
          onSubmit={(values) => steer.mutateAsync({ ...asked, ...values }).then(onClose)}
        />
      ) : (
        <SchemaForm
          shape={SteerMail}
          fields={[REASON]}
          act={words.confirm}
          onSubmit={({ reason }) => steer.mutateAsync({ ...asked, reason }).then(onClose)}
        />
      )}
    </Dialog>
  )
}

function doneText(act: SteerAct, reply: Reply<'operator.delivery.retry' | 'operator.delivery.hold'>): string {
  if (act === 'hold' || reply.object !== 'queue_change') return texts.steer.dialogs.hold.done
  const { recipients, in_flight, is_complete } = reply
  return [
    texts.steer.dialogs[act].done(recipients),
    ...(in_flight > 0 ? [texts.steer.inFlight(in_flight)] : []),
    ...(is_complete ? [] : [texts.steer.more]),
  ].join(' ')
}
