import type { GoldenMail } from './mail.ts'

export const VIETNAMESE: readonly GoldenMail[] = [
  {
    subject: 'Mã xác minh',
    text: 'Xin chào,\n\nMã xác minh của bạn là 482913. Mã có hiệu lực trong 10 phút.',
    codes: ['482913'],
  },
  { subject: 'Đăng nhập', text: 'Mã OTP: 204771\nKhông chia sẻ với bất kỳ ai.', codes: ['204771'] },
  {
    subject: 'Xác nhận đơn hàng',
    text: 'Mã xác nhận cho đơn hàng của bạn là 118830. Tổng 1.299.000 đ.',
    codes: ['118830'],
  },
  {
    subject: 'Đăng nhập',
    html: '<p>Nhập mã này để đăng nhập:</p><h1>9044</h1><p>Hotline 1900 1234</p>',
    codes: ['9044'],
  },
  { subject: '771209 là mã bảo mật của bạn', text: 'Nếu bạn không yêu cầu, hãy bỏ qua.', codes: ['771209'] },
  { subject: 'Khuyến mãi', text: 'Dùng mã giảm giá 202611 để được giảm 20%.', codes: [] },
  { subject: 'Đơn hàng', text: 'Mã đơn hàng: 482913. Đơn hàng đã được xác nhận. Mã bưu chính 700000.', codes: [] },
]
