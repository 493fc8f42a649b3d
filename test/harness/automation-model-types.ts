// What goes into the model of automations, and what comes out.

export interface ModelContact {
  readonly first_name: string | null
  readonly last_name: string | null
  readonly unsubscribed: boolean
  readonly properties: Readonly<Record<string, string | number>>
}

/** In their order. Time passes only by `pass`; an event of an address without a contact makes one when it starts a run. */
export type ModelAction =
  | { readonly type: 'event'; readonly name: string; readonly payload: Readonly<Record<string, unknown>> }
  | { readonly type: 'pass'; readonly seconds: number }
  | { readonly type: 'change_contact'; readonly changes: Partial<ModelContact> }
  | { readonly type: 'delete_contact' }
  | { readonly type: 'look' }
  | { readonly type: 'enable' | 'disable' | 'stop' }

export interface ModelOptions {
  readonly email: string
  /** Null: none yet. */
  readonly contact: ModelContact | null
  readonly oncePerContact?: 'never' | 'while_running' | 'ever'
  /** Keys of send_email steps whose template cannot be sent. */
  readonly failingSteps?: readonly string[]
  /**
   * Whether the engine is always there, or comes only with `look`: then it deals with what has happened since, in the order of time, and
   * counts the next waits from when it came. What is done to contacts and automations counts at once.
   */
  readonly looks?: 'always' | 'when_told'
}

export interface ModelStep {
  readonly status: 'pending' | 'waiting' | 'completed' | 'failed' | 'skipped'
  /** As the API shows it, of steps whose output holds no id: trigger, delay, wait_for_event, condition. Null for others. */
  readonly output: Readonly<Record<string, unknown>> | null
}

export interface ModelRun {
  readonly status: 'running' | 'completed' | 'failed' | 'cancelled'
  readonly steps: Readonly<Record<string, ModelStep>>
  /** Keys of the steps that are behind it, in the order in which it came to them. */
  readonly trail: readonly string[]
  /** Keys of the steps that sent an email. */
  readonly emails: readonly string[]
  /** Keys of the add_to_segment steps that were done. */
  readonly joined: readonly string[]
}

export interface Simulated {
  readonly runs: readonly ModelRun[]
  /** Of all runs, in the order in which they were sent: each is [number of the run, key of the step]. */
  readonly emails: readonly (readonly [run: number, step: string])[]
  readonly contact: ModelContact | null
}
