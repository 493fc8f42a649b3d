/** An event as receivers know it: its id, which is the same at every endpoint and in every attempt, and what is posted. */
export const MESSAGE_PREFIX = 'msg_'

export interface Event {
  readonly type: string
  /** ISO. */
  readonly createdAt: string
  /** JSON, as it was written down. It is passed on byte by byte: what is signed must be what is sent. */
  readonly data: string
}

export const messageBody = ({ type, createdAt, data }: Event): string =>
  `{"type":${JSON.stringify(type)},"created_at":${JSON.stringify(createdAt)},"data":${data}}`
