/**
 * The rules that KumoMTA ships, as data: `assets/policy-extras/shaping.toml` and `assets/community/shaping.toml` of
 * github.com/KumoCorp/kumomta at 3ebc1e8 (August 2026). Only those of the providers of the generated world, and of everything.
 */
export interface ShapingRule {
  /** What the names of all mail servers of a site end with. Null: everything. Empty: nothing, since no block names the servers. */
  readonly mxSuffixes: readonly string[] | null
  readonly connections?: number
  readonly messagesPerConnection?: number
  readonly perMinute?: number
  readonly automation?: readonly Automation[]
}

export interface Automation {
  readonly pattern: RegExp
  /** So many such replies within an hour; 1: at once. */
  readonly perHour: number
  readonly action:
    | 'suspend'
    | { readonly connections?: number; readonly messagesPerConnection?: number; readonly perMinute?: number }
  readonly minutes: number
}

const suspend = (pattern: RegExp, perHour: number, minutes: number): Automation => ({
  pattern,
  perHour,
  action: 'suspend',
  minutes,
})

export const SHAPING_RULES: readonly ShapingRule[] = [
  {
    mxSuffixes: null,
    connections: 10,
    messagesPerConnection: 100,
    perMinute: 6_000,
    automation: [
      {
        pattern:
          /Messages from \d+\.\d+\.\d+\.\d+ temporarily deferred|All messages from \d+\.\d+\.\d+\.\d+ will be permanently deferred|has been temporarily rate limited due to IP reputation|Unfortunately, messages from \d+\.\d+\.\d+\.\d+ weren.t sent|Server busy\. Please try again later from/,
        perHour: 1,
        action: { perMinute: 1, connections: 1 },
        minutes: 90,
      },
    ],
  },
  { mxSuffixes: ['.google.com', '.googlemail.com'], connections: 5, messagesPerConnection: 50 },
  {
    // These stand under `gmail`, and the servers under `google`: they never apply.
    mxSuffixes: [],
    automation: [
      suspend(/Our system has detected that this message/, 5, 60),
      { pattern: /Our system has detected an unusual rate/, perHour: 2, action: { perMinute: 10 }, minutes: 30 },
    ],
  },
  {
    mxSuffixes: ['.yahoodns.net'],
    messagesPerConnection: 20,
    automation: [
      suspend(/\[TS?S04\]/, 1, 120),
      { pattern: /\[TS02\]/, perHour: 3, action: { perMinute: 1 }, minutes: 30 },
      { pattern: /\[TS03\]/, perHour: 3, action: { perMinute: 10 }, minutes: 30 },
      suspend(/421 4\.7\.0 \[TSS05\]/, 2, 240),
      suspend(/553 5\.7\.1 \[BL/, 5, 120),
      {
        pattern: /Max message per connection reached, closing transmission channel/,
        perHour: 3,
        action: { perMinute: 10 },
        minutes: 60,
      },
    ],
  },
  {
    mxSuffixes: ['.olc.protection.outlook.com'],
    connections: 5,
    messagesPerConnection: 50,
    automation: [
      suspend(/Unfortunately.*part of their network is on our block list/, 5, 120),
      suspend(/Access denied, please try again later/, 5, 60),
      suspend(/Server busy. Please try again later/, 5, 30),
      suspend(/The mail server.*has been temporarily rate limited/, 3, 30),
      { pattern: /Server busy. Please try again later/, perHour: 3, action: { perMinute: 1 }, minutes: 15 },
      {
        pattern: /The mail server.*has exceeded the maximum number of connections/,
        perHour: 2,
        action: { connections: 1 },
        minutes: 60,
      },
      {
        pattern: /The mail server.*has exceeded maximum number of messages per connection/,
        perHour: 2,
        action: { messagesPerConnection: 2 },
        minutes: 60,
      },
      suspend(/Temporary server error. Please try again later/, 5, 60),
    ],
  },
  {
    mxSuffixes: ['.icloud.com'],
    connections: 10,
    messagesPerConnection: 5,
    automation: [
      suspend(/Service unavailable - try again later/, 5, 15),
      suspend(/\[BS02\] Temporary server error./, 5, 15),
      // Escaped twice in the file: it looks for a backslash.
      suspend(/\\\[HCM1\\\] Your mail from \d+\.\d+\.\d+\.\d+ was deferred/, 3, 15),
    ],
  },
  {
    mxSuffixes: ['.web.de', '.gmx.net'],
    connections: 4,
    messagesPerConnection: 20,
    automation: [
      { pattern: /Too many connections/, perHour: 3, action: { connections: 1 }, minutes: 30 },
      { pattern: /Reject due to policy restrictions./, perHour: 5, action: { perMinute: 1 }, minutes: 60 },
      suspend(/Reject due to policy violations./, 5, 60),
      suspend(/554.*Reject due to policy restrictions./, 5, 120),
    ],
  },
  { mxSuffixes: ['.comcast.net'], connections: 25, messagesPerConnection: 1_000 },
  {
    mxSuffixes: ['.mimecast.com'],
    connections: 10,
    messagesPerConnection: 100,
    automation: [suspend(/Internal resource temporarily unavailable/, 3, 30)],
  },
  {
    mxSuffixes: ['.orange.fr'],
    connections: 2,
    messagesPerConnection: 100,
    automation: [
      { pattern: /Trop de connexions/, perHour: 2, action: { connections: 1 }, minutes: 60 },
      suspend(/Service refuse/, 2, 60),
    ],
  },
]
