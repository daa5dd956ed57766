/** A line to the Temporal server that can be cut and mended: what is sent over it goes on, or nobody is there. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export class CutLine {
  private readonly sockets = new Set<Socket>();
  private server: Server;
  private port = 0;

  private constructor(
    private readonly host: string,
    private readonly to: number,
  ) {
    this.server = this.relay();
  }

  /** `address` is the server's, as host:port. */
  static async to(address: string): Promise<CutLine> {
    const [host = '', port = ''] = address.split(':');
    const line = new CutLine(host, Number(port));
    await line.mend();
    return line;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** From now on nobody is there. */
  async cut(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  /** And there again, at the same address. */
  async mend(): Promise<void> {
    this.server = this.relay();
    await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', resolve));
    // A server that listens on a port has an address of this form.
    this.port = (this.server.address() as AddressInfo).port;
  }

  private relay(): Server {
    return createServer((near) => {
      const far = connect(this.to, this.host);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.sockets.add(one);
        one.pipe(other);
        one.on('error', () => other.destroy());
        one.on('close', () => {
          this.sockets.delete(one);
          other.destroy();
        });
      }
    });
  }
}
