import { CopyButton, CopyIcon } from '../copy.tsx'
import { formatNumber } from '../locale.ts'
import { Facts } from '../page.tsx'
import { Empty } from '../states.tsx'
import type { FullMessage } from './message.ts'
import './extracted.css'
import { texts } from './texts.ts'

/** More of them are noise: the likeliest come first. */
const SHOWN_CODES = 5

/** What people copy from a mail into a form. */
export function Codes({ codes }: Pick<FullMessage, 'codes'>) {
  if (codes.length === 0) return null
  return (
    <ul className="codes" aria-label={texts.codes.label}>
      {codes.slice(0, SHOWN_CODES).map((code, at) => (
        <li key={code}>
          <code>{code}</code>
          {at === 0 ? (
            <CopyButton text={code}>{texts.codes.copy}</CopyButton>
          ) : (
            <CopyIcon text={code} what={texts.codes.code(code)} />
          )}
        </li>
      ))}
    </ul>
  )
}

/** Only these are links here, whatever stands in a mail: the browser would run the others. */
const isHarmless = (address: string) => /^(https?|mailto):/i.test(address)

/** Some megabytes of links are no list. */
const SHOWN = 500

/** Where a mail leads to, what it shows, and how one gets rid of it. */
export function Links({ links, images, unsubscribe }: Pick<FullMessage, 'links' | 'images' | 'unsubscribe'>) {
  if (links.length + images.length === 0 && !unsubscribe) return <Empty icon="link" title={texts.links.empty} />
  return (
    <>
      <ul className="mail-links" aria-label={texts.links.label}>
        {links.slice(0, SHOWN).map(({ text, href, target }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same link may be there twice
          <li key={at}>
            <strong>{text || texts.links.noText}</strong>
            <Address address={target} />
            {href !== target && <small className="muted">{texts.links.tracked(href)}</small>}
          </li>
        ))}
        {links.length > SHOWN && <li className="muted">{texts.links.more(formatNumber(links.length - SHOWN))}</li>}
      </ul>
      {unsubscribe && (
        <Facts
          facts={[
            ...(unsubscribe.url
              ? [[texts.links.unsubscribe, <Address key="url" address={unsubscribe.url} />] as const]
              : []),
            ...(unsubscribe.mailto
              ? [[texts.links.unsubscribeByEmail, <Address key="to" address={unsubscribe.mailto} />] as const]
              : []),
            [texts.links.oneClick.label, unsubscribe.one_click ? texts.links.oneClick.yes : texts.links.oneClick.no],
          ]}
        />
      )}
      {images.length > 0 && (
        <ul className="mail-links" aria-label={texts.links.images}>
          {images.slice(0, SHOWN).map(({ src, alt }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same picture may be there twice
            <li key={at}>
              <strong>{alt === null ? texts.links.noAlternativeText : alt || texts.links.decorative}</strong>
              <Address address={src.startsWith('data:') ? `${src.slice(0, 60)}…` : src} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

const Address = ({ address }: { address: string }) => (
  <span className="mail-address">
    {isHarmless(address) ? (
      <a href={address} target="_blank" rel="noreferrer noopener">
        {address}
      </a>
    ) : (
      <code>{address}</code>
    )}
    <CopyIcon text={address} what={texts.links.url} />
  </span>
)
