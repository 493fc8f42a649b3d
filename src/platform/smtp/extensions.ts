/** What a server said it can do, as far as we want to know. */
export interface Extensions {
  readonly hasUtf8: boolean
  readonly has8BitMime: boolean
  /** Zero: the server did not say. */
  readonly maxMessageBytes: number
}

/** `reply` is the answer to EHLO, or to HELO, which names no extensions. */
export function parseExtensions(reply: string): Extensions {
  const [, ...lines] = reply.split('\n')
  const offers = lines.map((line) => line.slice(4).trim().toUpperCase())
  const size = offers.map((offer) => /^SIZE (\d{1,15})$/.exec(offer)?.[1]).find((digits) => digits !== undefined)
  return {
    hasUtf8: offers.includes('SMTPUTF8'),
    has8BitMime: offers.includes('8BITMIME'),
    maxMessageBytes: Number(size ?? 0),
  }
}
