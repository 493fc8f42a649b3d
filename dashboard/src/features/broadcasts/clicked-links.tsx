import { useMemo, useState } from 'react'
import { usePreviewContact } from '../../editor/preview-contact.tsx'
import { useCall } from '../../queries.ts'
import { formatNumber } from '../../ui/locale.ts'
import { Card } from '../../ui/page.tsx'
import { Switch } from '../../ui/switch.tsx'
import type { FullBroadcast } from './api.ts'
import { withClicks } from './link-map.ts'
import { Preview } from './preview.tsx'
import '../../ui/table.css'
import { texts } from './texts.ts'

const MAX_LINKS = 100

/** Most clicked first. */
export function ClickedLinks({ broadcast }: { broadcast: string }) {
  const { data } = useCall('broadcasts.clicked-links', { id: broadcast, limit: MAX_LINKS })
  if (!data?.data.length) return null
  return (
    <Card title={texts.clickedLinks.title}>
      <div className="table-wrap">
        <table aria-label={texts.clickedLinks.title}>
          <thead>
            <tr>
              <th scope="col" className="main">
                {texts.clickedLinks.columns.link}
              </th>
              <th scope="col">{texts.clickedLinks.columns.unique}</th>
              <th scope="col">{texts.clickedLinks.columns.clicks}</th>
            </tr>
          </thead>
          <tbody>
            {data.data.map(({ url, clicks, unique_clicks }) => (
              <tr key={url}>
                <td className="main" title={url}>
                  {url}
                </td>
                <td>{formatNumber(unique_clicks)}</td>
                <td>{formatNumber(clicks)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  )
}

const VIEWS = [
  ['email', texts.preview.email],
  ['clicks', texts.preview.clickMap],
] as const

/** The email as it was sent, or with the number of clicks at each link. */
export function SentPreview({ broadcast }: { broadcast: FullBroadcast }) {
  const [view, setView] = useState<(typeof VIEWS)[number][0]>('email')
  const previewContact = usePreviewContact(broadcast.segment_id)
  const links = useCall('broadcasts.clicked-links', { id: broadcast.id, limit: MAX_LINKS }).data?.data
  const { html } = broadcast
  const content = useMemo(
    () => (view === 'clicks' && html !== null && links ? { ...broadcast, html: withClicks(html, links) } : broadcast),
    [view, html, links, broadcast],
  )
  return (
    <div>
      {html !== null && links !== undefined && links.length > 0 && (
        <Switch label={texts.preview.view} options={VIEWS} value={view} onChange={setView} />
      )}
      <Preview content={content} previewContact={previewContact} />
    </div>
  )
}
