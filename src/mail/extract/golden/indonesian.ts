import type { GoldenMail } from './mail.ts'

export const INDONESIAN: readonly GoldenMail[] = [
  {
    subject: 'Kode verifikasi Anda',
    text: 'Halo,\n\nKode verifikasi Anda adalah 482913. Berlaku selama 10 menit.',
    codes: ['482913'],
  },
  { subject: 'Masuk', text: 'Kode OTP: 204 771. Jangan berikan kepada siapa pun.', codes: ['204771'] },
  {
    subject: 'Konfirmasi pesanan',
    text: 'Kode OTP untuk konfirmasi pesanan Anda adalah 118830. Total Rp 129.000.',
    codes: ['118830'],
  },
  {
    subject: 'Masuk ke akun',
    html: '<p>Masukkan kode ini untuk masuk:</p><h1>9044</h1><p>Telepon 021 1234 5678</p>',
    codes: ['9044'],
  },
  { subject: '771209 adalah kode keamanan Anda', text: 'Abaikan jika Anda tidak memintanya.', codes: ['771209'] },
  { subject: 'Diskon', text: 'Gunakan kode promo 202611 dan dapatkan diskon 20%.', codes: [] },
  { subject: 'Pesanan Anda', text: 'Nomor pesanan 482913 telah dikonfirmasi. Kode pos 10110.', codes: [] },
]
