import { parseDuration } from '../../../platform/duration.ts'
import { groupBy, turnsOf } from '../../../platform/group-by.ts'
import type { NewEmail } from '../../emails/delivery/acceptance/accept.ts'
import type { Batch } from './batch.ts'
import { Refused } from './effects.ts'
import type { StepOf, StepType } from './graph.ts'
import { evaluate, MissingField, WrongType } from './rules.ts'
import type { Run } from './runs.ts'
import { type ContactValues, findAbsent, type Payload, resolve, type Scope } from './values.ts'

/** Why a run goes on: it has begun or just came to the step, its time has come, or the event is there that it waited for. */
export type Cause = { kind: 'arrived' } | { kind: 'due' } | { kind: 'event'; payload: Payload }

export interface RunnableRun {
  readonly run: Run
  readonly cause: Cause
}

const ARRIVED: Cause = { kind: 'arrived' }
const GONE = { message: 'The contact was deleted.' }
/** What is written of emails at a time. */
const MAX_EMAILS = 100
const MAX_CHARACTERS = 2_000_000

type Advance<Type extends StepType> = (batch: Batch, at: readonly At<Type>[]) => Promise<void> | void

interface At<Type extends StepType> extends RunnableRun {
  readonly step: StepOf<Type>
}

/**
 * Takes runs on until each of them waits or has ended. A run that changes its contact and the others of that contact go one after the
 * other, in this order: what one has changed, the next one sees. All others go together.
 */
export async function advance(batch: Batch, runnable: readonly RunnableRun[]) {
  await batch.loadGraphs(runnable.map(({ run }) => run.graphId))
  const changed = new Set(runnable.filter(({ run }) => batch.changesContact(run)).map(({ run }) => run.contactId))
  const turns = turnsOf(runnable, ({ run }) => (changed.has(run.contactId) ? run.contactId : null))
  for (const turn of turns) await advanceTogether(batch, turn)
}

/**
 * In waves: all that stand at a step of one kind do it together, so that a thousand emails are a few statements. A graph has no
 * cycles, so there are no more waves than steps.
 */
async function advanceTogether(batch: Batch, runnable: readonly RunnableRun[]) {
  let wave = runnable
  while (wave.length > 0) {
    await batch.loadContacts(wave.map(({ run }) => run.contactId))
    // Where they stand before anybody moves.
    const standing = groupBy(
      wave.map((one) => ({ ...one, step: batch.stepOf(one.run) })),
      ({ step }) => step.type,
    )
    for (const [type, at] of standing) await STEPS[type](batch, at as never)
    wave = wave
      .filter(({ run }) => run.status === 'running' && run.dueAt === null && run.waitsFor === null)
      .map(({ run }) => ({ run, cause: ARRIVED }))
  }
}

const STEPS: { readonly [Type in StepType]: Advance<Type> } = {
  trigger(batch, at) {
    for (const { run, step } of at) {
      batch.complete(run, { event_name: step.config.event_name, payload: run.event }, 'default')
    }
  },
  delay(batch, at) {
    for (const { run, step, cause } of at) {
      const { duration } = step.config
      if (cause.kind === 'due' || run.test) batch.complete(run, { duration }, 'default')
      else batch.wait(run, { dueAt: batch.dueIn(run, parseDuration(duration)!), waitsFor: null })
    }
  },
  wait_for_event(batch, at) {
    for (const one of at) waitForEvent(batch, one)
  },
  condition(batch, at) {
    for (const { run, step } of at) {
      try {
        const scope = scopeOf(batch, run)
        const result = evaluate(step.config, (field) => resolve({ var: field }, scope))
        batch.complete(run, { result }, result ? 'condition_met' : 'condition_not_met')
      } catch (error) {
        if (!(error instanceof MissingField || error instanceof WrongType)) throw error
        batch.fail(run, { message: error.message })
      }
    }
  },
  async send_email(batch, at) {
    const { effects, trx, team } = batch
    const compose = await effects.composer(trx, team, [...new Set(at.map(({ step }) => step.config))])
    let emails: NewEmail[] = []
    let characters = 0
    const accept = async () => {
      await effects.acceptEmails(trx, emails)
      emails = []
      characters = 0
    }
    for (const { run, step } of at) {
      const contact = contactOf(batch, run)
      if (!contact) batch.fail(run, GONE)
      else if (contact.unsubscribed && !run.test) batch.skip(run, { reason: 'The contact is unsubscribed.' })
      else
        await orFail(batch, run, async () => {
          const { template } = step.config
          const variables = template.variables ? (resolve(template.variables, scopeOf(batch, run)) as object) : null
          const email = compose({ config: step.config, contact, to: contact.email, variables: { ...variables } })
          emails.push(email)
          characters += (email.html?.length ?? 0) + (email.text?.length ?? 0)
          batch.sent(run, email.id)
          batch.complete(
            run,
            { to: contact.email, email_id: email.id, template: { id: template.id, variables } },
            'default',
          )
        })
      if (emails.length >= MAX_EMAILS || characters >= MAX_CHARACTERS) await accept()
    }
    if (emails.length > 0) await accept()
  },
  async contact_update(batch, at) {
    for (const { run, step } of at) {
      const scope = scopeOf(batch, run)
      const changes = resolve(step.config, scope) as object
      const absent = findAbsent(step.config, scope)
      if (!scope.contact) batch.fail(run, GONE)
      else if (absent !== null) batch.fail(run, { message: `The variable \`${absent}\` has no value.` })
      else if (run.test) batch.complete(run, { changes, is_test: true }, 'default')
      else
        await orFail(batch, run, async () => {
          await batch.effects.updateContact(batch.trx, batch.team, run.contactId, changes)
          await batch.reloadContacts([run.contactId])
          batch.complete(run, { changes }, 'default')
        })
    }
  },
  async add_to_segment(batch, at) {
    const segments = groupBy(at, ({ step }) => step.config.segment_id)
    for (const [segment, runs] of segments) {
      const present = runs.filter(({ run }) => !run.test && contactOf(batch, run))
      const contacts = [...new Set(present.map(({ run }) => run.contactId))]
      const isThere = await batch.effects.addToSegment(batch.trx, batch.team, segment, contacts)
      for (const { run } of runs) {
        if (!contactOf(batch, run)) batch.fail(run, GONE)
        else if (!isThere) batch.fail(run, { message: 'The segment was deleted.' })
        else batch.complete(run, { segment_id: segment, ...(run.test && { is_test: true }) }, 'default')
      }
    }
  },
  async contact_delete(batch, at) {
    const real = at.filter(({ run }) => !run.test && contactOf(batch, run)).map(({ run }) => run.contactId)
    await batch.effects.deleteContacts(batch.trx, batch.team, [...new Set(real)])
    for (const { run } of at) {
      if (run.test) batch.finish(run, { contact_id: run.contactId, is_test: true })
      else if (contactOf(batch, run)) batch.finish(run, { contact_id: run.contactId })
      else batch.fail(run, GONE)
    }
    for (const id of real) batch.contacts.set(id, null)
  },
}

function waitForEvent(batch: Batch, { run, step, cause }: At<'wait_for_event'>) {
  const { event_name, timeout } = step.config
  const received = (payload: Payload) => {
    run.waitEvents = { ...run.waitEvents, [event_name]: payload }
    batch.complete(run, { event_name, outcome: 'event_received', payload }, 'event_received')
  }
  const timedOut = () => {
    if (batch.has(run, 'timeout')) batch.complete(run, { event_name, outcome: 'timeout' }, 'timeout')
    else batch.fail(run, { message: `The event \`${event_name}\` did not arrive in time.` })
  }
  if (cause.kind === 'event') received(cause.payload)
  else if (cause.kind === 'due') timedOut()
  else if (run.test) run.test.waits === 'timeout' ? timedOut() : received({})
  else {
    const dueAt = timeout === undefined ? null : batch.dueIn(run, parseDuration(timeout)!)
    batch.wait(run, { dueAt, waitsFor: event_name })
  }
}

async function orFail(batch: Batch, run: Run, work: () => Promise<void>) {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    batch.fail(run, { message: error.message, ...(error.kind && { name: error.kind }) })
  }
}

const scopeOf = (batch: Batch, run: Run): Scope => ({
  event: run.event,
  contact: contactOf(batch, run),
  waitEvents: run.waitEvents,
})

/** Who tries an automation out is the contact, with the values of the one that was chosen, if one was. */
function contactOf(batch: Batch, run: Run): ContactValues | null {
  const contact = batch.contacts.get(run.contactId) ?? null
  if (!run.test) return contact
  const blank = {
    id: run.contactId,
    first_name: null,
    last_name: null,
    created_at: batch.now.toISOString(),
    properties: {},
  }
  return { ...blank, ...contact, unsubscribed: false, email: run.test.to }
}
