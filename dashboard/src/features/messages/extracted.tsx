import { CopyButton, CopyIcon } from '../../ui/copy.tsx'
import { Facts } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import type { FullMessage } from './message-scope.ts'
import './extracted.css'

/** More of them are noise: the likeliest come first. */
const SHOWN_CODES = 5

/** What people copy from a mail into a form. */
export function Codes({ codes }: Pick<FullMessage, 'codes'>) {
  if (codes.length === 0) return null
  return (
    <ul className="codes" aria-label="Codes">
      {codes.slice(0, SHOWN_CODES).map((code, at) => (
        <li key={code}>
          <code>{code}</code>
          {at === 0 ? <CopyButton text={code}>Copy code</CopyButton> : <CopyIcon text={code} what={`code ${code}`} />}
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
  if (links.length + images.length === 0 && !unsubscribe) return <Empty icon="link" title="No links" />
  return (
    <>
      <ul className="mail-links" aria-label="Links">
        {links.slice(0, SHOWN).map(({ text, href, target }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same link may be there twice
          <li key={at}>
            <strong>{text || '(no text)'}</strong>
            <Address address={target} />
            {href !== target && <small className="muted">tracked as {href}</small>}
          </li>
        ))}
        {links.length > SHOWN && <li className="muted">and {(links.length - SHOWN).toLocaleString('en')} more</li>}
      </ul>
      {unsubscribe && (
        <Facts
          facts={[
            ...(unsubscribe.url ? [['Unsubscribe', <Address key="url" address={unsubscribe.url} />] as const] : []),
            ...(unsubscribe.mailto ? [['By email', <Address key="to" address={unsubscribe.mailto} />] as const] : []),
            ['One click', unsubscribe.one_click ? 'yes (RFC 8058)' : 'no'],
          ]}
        />
      )}
      {images.length > 0 && (
        <ul className="mail-links" aria-label="Images">
          {images.slice(0, SHOWN).map(({ src, alt }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same picture may be there twice
            <li key={at}>
              <strong>{alt === null ? '(image without alt text)' : alt || '(decorative image)'}</strong>
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
    <CopyIcon text={address} what="URL" />
  </span>
)
