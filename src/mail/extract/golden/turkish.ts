import type { GoldenMail } from './mail.ts'

export const TURKISH: readonly GoldenMail[] = [
  {
    subject: 'Doğrulama kodunuz',
    text: 'Merhaba,\n\nDoğrulama kodunuz: 482913. 10 dakika geçerlidir.',
    codes: ['482913'],
  },
  { subject: 'Giriş', text: 'Giriş kodu: 204 771\nKimseyle paylaşmayın.', codes: ['204771'] },
  {
    subject: 'Siparişi onaylayın',
    text: 'Siparişinizi onaylamak için tek kullanımlık şifre: 118830. Tutar 1.299 TL.',
    codes: ['118830'],
  },
  {
    subject: 'Oturum açma',
    html: '<p>Giriş yapmak için bu kodu girin:</p><h1>9044</h1><p>Tel. 0850 123 45 67</p>',
    codes: ['9044'],
  },
  { subject: '771209 güvenlik kodunuz', text: 'Siz istemediyseniz dikkate almayın.', codes: ['771209'] },
  { subject: 'İndirim', text: 'İndirim kodu 202611 ile %20 indirim kazanın.', codes: [] },
  { subject: 'Siparişiniz', text: 'Sipariş numarası 482913 onaylandı. Posta kodu 34000.', codes: [] },
]
