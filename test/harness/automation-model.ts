import type { ConnectionType, Graph, Step } from '../../src/features/automations/engine/graph.ts'
import { evaluate, inside, passes, secondsOf } from './automation-model-rules.ts'
import type { Happening, ModelContact, ModelOptions, ModelRun, ModelStep, Simulated } from './automation-model-types.ts'

// What an automation does, as a plain function without database, clock or crashes: the engine is held against it. It shares
// no code with the engine on purpose. One automation, one address.

/** A contact that was deleted and one that came later under the same address are two. */
interface Person {
  contact: ModelContact | null
}

interface Run {
  readonly number: number
  readonly person: Person
  readonly event: Readonly<Record<string, unknown>>
  readonly waitEvents: Map<string, Readonly<Record<string, unknown>>>
  readonly done: Map<string, ModelStep>
  readonly emails: string[]
  readonly joined: string[]
  status: ModelRun['status']
  at: string | null
  due: number
}

export function simulate(graph: Graph, happenings: readonly Happening[], options: ModelOptions): Simulated {
  return new Simulation(graph, options).play(happenings)
}

class Simulation {
  readonly #graph: Graph
  readonly #options: ModelOptions
  readonly #trigger: Extract<Step, { type: 'trigger' }>
  readonly #runs: Run[] = []
  readonly #emails: [number, string][] = []
  /** What nobody has looked at yet, in the order in which it came. */
  readonly #events: { readonly at: number; readonly name: string; readonly payload: Run['event'] }[] = []
  #person: Person
  #now = 0
  /** When what is dealt with happened. Whoever looks late has not changed that. */
  #moment = 0
  #isEnabled = true

  constructor(graph: Graph, options: ModelOptions) {
    this.#graph = graph
    this.#options = options
    this.#person = { contact: options.contact }
    this.#trigger = graph.steps.find((step) => step.type === 'trigger')!
  }

  play(happenings: readonly Happening[]): Simulated {
    for (const happening of happenings) this.#happen(happening)
    return { runs: this.#runs.map((run) => this.#shown(run)), emails: this.#emails, contact: this.#person.contact }
  }

  #happen(happening: Happening) {
    switch (happening.type) {
      case 'event':
        this.#events.push({ at: this.#now, name: happening.name, payload: happening.payload })
        return this.#looksByItself ? this.#look() : undefined
      case 'pass':
        return this.#pass(happening.seconds)
      case 'look':
        return this.#look()
      case 'change_contact':
        if (this.#person.contact) this.#person.contact = { ...this.#person.contact, ...happening.changes }
        return
      case 'delete_contact':
        this.#person.contact = null
        return
      case 'enable':
      case 'disable':
        this.#isEnabled = happening.type === 'enable'
        return
      case 'stop':
        this.#isEnabled = false
        for (const run of this.#runs) if (run.status === 'running') this.#end(run, 'cancelled')
    }
  }

  /** Wakes those who waited before it, each once, and starts a run at last: that one has not waited for it. */
  #receive(name: string, payload: Readonly<Record<string, unknown>>) {
    const person = this.#person
    const wasThere = person.contact !== null
    for (const run of this.#runs.filter(({ status }) => status === 'running')) {
      const step = this.#step(run.at!)
      if (!wasThere || run.person !== person || step.type !== 'wait_for_event') continue
      const { event_name, filter_rule } = step.config
      if (event_name !== name || !(filter_rule === undefined || passes(filter_rule, payload))) continue
      run.waitEvents.set(name, payload)
      run.done.set(step.key, completed({ event_name, outcome: 'event_received', payload }))
      this.#leave(run, ['event_received', 'default'])
    }
    if (this.#isEnabled && name === this.#trigger.config.event_name) this.#start(payload)
  }

  #start(event: Readonly<Record<string, unknown>>) {
    if (!this.#person.contact) {
      this.#person = { contact: { first_name: null, last_name: null, unsubscribed: false, properties: {} } }
    }
    const person = this.#person
    const own = this.#runs.filter((run) => run.person === person)
    const { oncePerContact = 'never' } = this.#options
    if (oncePerContact === 'ever' && own.length > 0) return
    if (oncePerContact === 'while_running' && own.some(({ status }) => status === 'running')) return
    const run: Run = {
      number: this.#runs.length,
      person,
      event,
      waitEvents: new Map(),
      done: new Map(),
      emails: [],
      joined: [],
      status: 'running',
      at: this.#trigger.key,
      due: Number.POSITIVE_INFINITY,
    }
    this.#runs.push(run)
    run.done.set(this.#trigger.key, completed({ event_name: this.#trigger.config.event_name, payload: event }))
    this.#leave(run, ['default'])
  }

  get #looksByItself() {
    return this.#options.looks !== 'when_told'
  }

  /** Who always looks is there whenever something is due. */
  #pass(seconds: number) {
    const end = this.#now + seconds
    while (this.#looksByItself && this.#nextDue() <= end) {
      this.#now = this.#nextDue()
      this.#look()
    }
    this.#now = end
  }

  #nextDue = () => Math.min(...this.#runs.map(({ due }) => due))

  /** What has happened until now, in the order of time. Of one moment, what is due comes first, in the order in which runs began. */
  #look() {
    for (;;) {
      const due = this.#nextDue()
      const event = this.#events[0]
      if (event && event.at < due) {
        this.#events.shift()
        this.#moment = event.at
        this.#receive(event.name, event.payload)
      } else if (due <= this.#now) {
        this.#moment = due
        for (const run of this.#runs.filter((one) => one.due === due)) this.#ripen(run)
      } else return
    }
  }

  /** The delay or the wait is over where it stands. */
  #ripen(run: Run) {
    const step = this.#step(run.at!)
    if (step.type === 'delay') {
      run.done.set(step.key, completed({ duration: step.config.duration }))
      return this.#leave(run, ['default'])
    }
    if (step.type !== 'wait_for_event') throw new Error(`Nothing is due at ${step.key}.`)
    if (!this.#connection(step.key, ['timeout'])) return this.#fail(run)
    run.done.set(step.key, completed({ event_name: step.config.event_name, outcome: 'timeout' }))
    this.#leave(run, ['timeout'])
  }

  /** Onwards from where it stands, until it waits or ends. */
  #leave(run: Run, types: readonly ConnectionType[]) {
    let open: readonly ConnectionType[] | null = types
    while (open) {
      const next = this.#connection(run.at!, open)
      if (!next) return this.#end(run, 'completed')
      run.at = next
      run.due = Number.POSITIVE_INFINITY
      open = this.#enter(run, this.#step(next))
    }
  }

  /** Null when it stays there, or has ended. */
  #enter(run: Run, step: Step): readonly ConnectionType[] | null {
    const { contact } = run.person
    switch (step.type) {
      case 'delay':
        run.due = this.#moment + secondsOf(step.config.duration)
        return null
      case 'wait_for_event':
        if (step.config.timeout !== undefined) run.due = this.#moment + secondsOf(step.config.timeout)
        return null
      case 'condition': {
        const result = evaluate(step.config, (field) => this.#lookUp(run, field))
        if (result === null) return this.#fail(run)
        run.done.set(step.key, completed({ result }))
        return [result ? 'condition_met' : 'condition_not_met']
      }
      case 'send_email':
        if (!contact || (!contact.unsubscribed && this.#options.failingSteps?.includes(step.key)))
          return this.#fail(run)
        run.done.set(step.key, { status: contact.unsubscribed ? 'skipped' : 'completed', output: null })
        if (!contact.unsubscribed) {
          run.emails.push(step.key)
          this.#emails.push([run.number, step.key])
        }
        return ['default']
      case 'add_to_segment':
        if (!contact) return this.#fail(run)
        run.done.set(step.key, completed(null))
        run.joined.push(step.key)
        return ['default']
      case 'contact_update': {
        const changed = contact && this.#updated(run, contact, step.config)
        if (!changed) return this.#fail(run)
        run.person.contact = changed
        run.done.set(step.key, completed(null))
        return ['default']
      }
      case 'contact_delete':
        if (!contact) return this.#fail(run)
        run.person.contact = null
        run.done.set(step.key, completed(null))
        return this.#end(run, 'completed')
      default:
        throw new Error(`Nothing leads to ${step.key}.`)
    }
  }

  /** Null when a variable has no value. */
  #updated(
    run: Run,
    contact: ModelContact,
    { properties = {}, ...fields }: Extract<Step, { type: 'contact_update' }>['config'],
  ): ModelContact | null {
    const fill = (value: unknown) =>
      typeof value === 'object' && value !== null ? this.#lookUp(run, (value as { var: string }).var) : value
    const set = Object.entries(fields).map(([name, value]) => [name, fill(value)] as const)
    const kept = new Map<string, unknown>(Object.entries(contact.properties))
    for (const [name, value] of Object.entries(properties)) kept.set(name, fill(value))
    if ([...set.map(([, value]) => value), ...kept.values()].includes(undefined)) return null
    const present = [...kept].filter(([, value]) => value !== null)
    return {
      ...contact,
      ...Object.fromEntries(set),
      properties: Object.fromEntries(present) as ModelContact['properties'],
    }
  }

  #lookUp(run: Run, reference: string): unknown {
    const [root, ...path] = reference.split('.')
    if (root === 'event') return inside(run.event, path)
    if (root === 'wait_events') {
      for (let length = path.length - 1; length > 0; length--) {
        const payload = run.waitEvents.get(path.slice(0, length).join('.'))
        if (payload) return inside(payload, path.slice(length))
      }
      return undefined
    }
    const { contact } = run.person
    if (!contact) return undefined
    return inside({ ...contact.properties, ...contact, email: this.#options.email }, path)
  }

  #connection(from: string, types: readonly ConnectionType[]): string | undefined {
    return this.#graph.connections.find((one) => one.from === from && types.includes(one.type))?.to
  }

  #step(key: string): Step {
    return this.#graph.steps.find((step) => step.key === key)!
  }

  #fail(run: Run): null {
    run.done.set(run.at!, { status: 'failed', output: null })
    return this.#end(run, 'failed')
  }

  #end(run: Run, status: ModelRun['status']): null {
    Object.assign(run, { status, at: null, due: Number.POSITIVE_INFINITY })
    return null
  }

  #shown({ status, done, at, emails, joined }: Run): ModelRun {
    const ahead: ModelStep = { status: status === 'running' ? 'pending' : 'skipped', output: null }
    const steps = this.#graph.steps.map(({ key }) => {
      const here: ModelStep = key === at ? { status: 'waiting', output: null } : ahead
      return [key, done.get(key) ?? here] as const
    })
    return { status, steps: Object.fromEntries(steps), trail: [...done.keys()], emails, joined }
  }
}

const completed = (output: ModelStep['output']): ModelStep => ({ status: 'completed', output })
