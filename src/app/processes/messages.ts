/** What a process says to its supervisor. */
export type ToSupervisor =
  /** It runs, and wants to know which of them it is. */
  | { readonly type: 'join' }
  /** It answers on all of its ports. */
  | { readonly type: 'started' }
  /** To be put to all the others. */
  | { readonly type: 'ask'; readonly id: number; readonly question: string; readonly payload: unknown }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }

/** What the supervisor says to a process. */
export type ToMember =
  | { readonly type: 'joined'; readonly number: number; readonly isFirst: boolean }
  | { readonly type: 'question'; readonly id: number; readonly question: string; readonly payload: unknown }
  | { readonly type: 'answers'; readonly id: number; readonly values: readonly unknown[] }
