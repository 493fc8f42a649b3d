/** What the metrics page says. */
export const texts = {
  title: 'Metrics',
  filters: { domain: 'Domain', allDomains: 'All domains', range: 'Range' },
  ranges: { day: 'Last 24 hours', week: 'Last 7 days', month: 'Last 30 days', quarter: 'Last 90 days' },
  metrics: {
    sent: 'Sent',
    delivered: 'Delivered',
    bounced: 'Bounced',
    complained: 'Complained',
    delayed: 'Delayed',
    opened: 'Opened',
    clicked: 'Clicked',
  },
  charts: {
    volume: 'Volume',
    delivery: 'Delivery and bounces',
    engagement: 'Opens and clicks',
    complaints: 'Complaints',
    complaintTarget: '0.1% recommended by Gmail and Yahoo',
    complaintLimit: '0.3% limit of Gmail and Yahoo',
  },
  complaintRate: {
    good: 'Below the 0.1% that Gmail and Yahoo recommend',
    warn: 'Above the 0.1% that Gmail and Yahoo recommend',
    bad: 'Above the 0.3% limit of Gmail and Yahoo',
  },
  totals: {
    label: 'Totals',
    showEmails: (metric: string) => `Show ${metric.toLowerCase()} emails`,
    change: (percent: string) => `${percent} vs. previous period`,
    noChange: 'No change',
    nonePreviously: 'None in the previous period',
  },
  breakdown: {
    title: 'Breakdown',
    groupBy: 'Group by',
    views: { domain: 'Domain', tag: 'Tag', recipientDomain: 'Recipient domain', provider: 'Provider' },
    table: (view: string) => `Metrics by ${view.toLowerCase()}`,
    empty: {
      domain: 'No emails from domains of the team in this period.',
      tag: 'No emails with tags in this period.',
      recipient_domain: 'No emails in this period.',
      provider: 'No emails in this period.',
    },
    incomplete: 'Only the newest emails of the period are counted here.',
  },
}
