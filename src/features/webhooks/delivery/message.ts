/** An event as receivers know it: its id, which is the same at every endpoint and in every attempt, and what is posted. */
export const MESSAGE_PREFIX = 'msg_'

export interface Event {
  readonly type: string
  /** ISO. */
  readonly createdAt: string
  /** JSON, as it was written down. It is passed on byte by byte: what is signed must be what is sent. */
  readonly data: string
}

/** How the type of an event begins that was made to test one webhook. Receivers get the type without it, and `test: true`. */
export const TEST_PREFIX = 'test:'

export const messageBody = ({ type, createdAt, data }: Event): string =>
  type.startsWith(TEST_PREFIX)
    ? `{"type":${JSON.stringify(type.slice(TEST_PREFIX.length))},"created_at":${JSON.stringify(createdAt)},"data":${data},"test":true}`
    : `{"type":${JSON.stringify(type)},"created_at":${JSON.stringify(createdAt)},"data":${data}}`
