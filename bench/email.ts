export interface BenchEmail {
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly html: string
  readonly text: string
}

const SENTENCE = 'The quick brown fox jumps over the lazy dog while the band plays on and nobody minds the weather. '

const PARAGRAPH = `<p style="margin:0 0 16px">${SENTENCE}</p>`

const emailOf = (from: string, { paragraphs, sentences }: { paragraphs: number; sentences: number }): BenchEmail => ({
  from,
  to: 'customer@sink.dev',
  subject: 'Your order is on its way',
  html: `<!doctype html><html><body>${PARAGRAPH.repeat(paragraphs)}</body></html>`,
  text: SENTENCE.repeat(sentences),
})

/** What a shop sends: 3.7 kB of html and 0.8 kB of text, 5 kB on the wire. */
export const benchEmail = (from: string) => emailOf(from, { paragraphs: 27, sentences: 8 })

/** A request of 2 kB. PostgreSQL keeps its text as it is: it compresses rows from 2 kB on. */
export const smallEmail = (from: string) => emailOf(from, { paragraphs: 11, sentences: 3 })

export const WIRE_BYTES = 5_120
