const WORDS =
  `account address again amount answer arrived balance before between book branch button call card change charge check choose city client close
collect company contact continue copy corner country coupon courier credit customer date deliver detail discount document download early email enjoy event
expect family find first follow free friend garden gift happy help hour house invoice item journey kitchen label language later learn leave letter library
light line link list local look market meeting member message minute month morning music name need never night notice number offer office open order other
package paper parcel password payment people person phone picture place plan please point price print profile project promise question quick ready reason
receipt record remember reply request reserve return review room sale school season second send service settings share ship shop size small soon special
start station statement status stock store street subject summer support table team thank ticket time today together tomorrow total track travel update
upgrade usual valid visit voucher wait warm watch weather week welcome window winter wish work world write year yellow`.split(
    /\s+/,
  )

/** Reproducible, and different in each email: text that repeats itself would be compressed to nothing. */
function* wordsFrom(seed: number): Generator<string, never> {
  for (let state = seed * 2_654_435_761 + 12_345; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    yield WORDS[(state >>> 8) % WORDS.length]!
  }
}

function sentences(words: Generator<string, never>, count: number): string {
  const sentence = () => {
    const [first, ...rest] = Array.from({ length: 11 }, () => words.next().value)
    return `${first![0]!.toUpperCase()}${first!.slice(1)} ${rest.join(' ')}.`
  }
  return Array.from({ length: count }, sentence).join(' ')
}

const PARAGRAPH = '<p style="margin:0 0 16px;font:16px/1.5 sans-serif;color:#222">'

/** What a shop sends to one person, the same words as html and as text: a request of 2 kB. */
export function personalEmail(number: number) {
  const words = wordsFrom(number)
  const paragraphs = [4, 3, 3].map((count) => sentences(words, count))
  const html = paragraphs.map((paragraph) => `${PARAGRAPH}${paragraph}</p>`).join('')
  return {
    from: 'Shop <shop@depth.bench.dev>',
    to: recipientOf(number),
    subject: `Your ${words.next().value} ${words.next().value} is on its way`,
    html: `<!doctype html><html><body>${html}<a href="https://shop.example/orders/${number}">View order</a></body></html>`,
    text: `${paragraphs.join('\n\n')}\n\nhttps://shop.example/orders/${number}`,
    ...(number % 20 === 11 && { tags: [{ name: 'plan', value: 'gold' }] }),
  }
}

/** Every 200th address is one that bounces. */
const recipientOf = (number: number) =>
  number % 200 === 99 ? `bounced+person${number}@resend.dev` : `Person <person${number}@sink${number % 50}.dev>`
