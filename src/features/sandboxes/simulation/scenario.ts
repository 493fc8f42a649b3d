// What the outside world does to a sandbox, as it is kept. The API has the same shapes with their bounds in
// `resources/sandboxes/scenario/schema.ts`.

export interface Scenario {
  readonly rules?: readonly Rule[]
  readonly webhooks?: readonly WebhookRule[]
  readonly smtp?: SmtpRules
}

export interface Rule {
  readonly match?: Match
  readonly outcome: RuleOutcome
}

export interface Match {
  readonly to?: string
  readonly domain?: string
  readonly from?: string
  readonly subject?: string
  readonly tag?: string
  readonly attempt?: Bounds
  readonly nth?: number
  readonly probability?: number
}

export interface Bounds {
  readonly at_least?: number
  readonly at_most?: number
}

export type VisitorName = 'person' | 'privacy_proxy' | 'scanner'

/** One at most of the first four decides about the delivery; the others follow it. */
export interface RuleOutcome {
  readonly reply?: string
  readonly delayed?: string
  readonly connection_lost?: 'before_data' | 'after_data'
  readonly greylisted?: number
  readonly opened?: { readonly after?: string; readonly by?: VisitorName }
  readonly clicked?: { readonly after?: string; readonly by?: VisitorName; readonly link?: string }
  readonly replied?: { readonly after?: string; readonly text: string; readonly subject?: string }
  readonly unsubscribed?: { readonly after?: string }
  readonly bounced?: { readonly after?: string; readonly reply?: string }
  readonly complained?: { readonly after?: string }
}

export interface WebhookRule {
  readonly match?: {
    readonly endpoint?: string
    readonly event?: string
    readonly attempt?: Bounds
    readonly probability?: number
  }
  readonly outcome: {
    readonly status?: number
    readonly times_out?: true
    readonly connection_lost?: true
    readonly times?: number
  }
}

export const SMTP_COMMANDS = ['mail', 'rcpt', 'auth'] as const
export type SmtpCommand = (typeof SMTP_COMMANDS)[number]
export type SmtpRules = { readonly [Command in SmtpCommand]?: SmtpRefusalRule }

export interface SmtpRefusalRule {
  readonly reply?: string
  readonly probability?: number
}

/** A scenario with what it is decided by. */
export interface LoadedScenario extends Scenario {
  readonly team: string
  /** What chance is made from. */
  readonly seed: string
  /** Grows with each change. */
  readonly version: number
}
