export interface BenchEmail {
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly html: string
  readonly text: string
}

const SENTENCE = 'The quick brown fox jumps over the lazy dog while the band plays on and nobody minds the weather. '

/** What a shop sends: 3.7 kB of html and 0.8 kB of text, 5 kB on the wire. */
export const benchEmail = (from: string): BenchEmail => ({
  from,
  to: 'customer@sink.dev',
  subject: 'Your order is on its way',
  html: `<!doctype html><html><body>${`<p style="margin:0 0 16px">${SENTENCE}</p>`.repeat(27)}</body></html>`,
  text: SENTENCE.repeat(8),
})

export const WIRE_BYTES = 5_120
