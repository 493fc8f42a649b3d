/** Messages from the main thread to a worker thread. */
export type ToThread =
  | { readonly kind: 'work'; readonly task: number; readonly work: string; readonly input: unknown }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown; readonly error: string | null }

/** And what it hears. */
export type FromThread =
  | { readonly kind: 'question'; readonly task: number; readonly id: number; readonly question: unknown }
  | { readonly kind: 'done'; readonly task: number; readonly result: unknown }
  | { readonly kind: 'failed'; readonly task: number; readonly reason: string }
