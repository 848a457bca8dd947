/* Lines in Java: Words CASE [cured]. */
import java.io.*;

class Words {
  public static void main(String[] words) throws IOException {
    boolean cured = words.length > 1;
    if (words[0].equals("lines-out")) {
      OutputStream out = new FileOutputStream("log");
      if (cured) out = new BufferedOutputStream(out, 1 << 16);
      for (int i = 0; i < 400000; i++) out.write(("line " + i + "\n").getBytes());
      out.close();
    } else {
      InputStream in = new FileInputStream("input");
      if (cured) in = new BufferedInputStream(in, 1 << 16);
      int sum = 0;
      for (int i = 0; i < 800000; i++) sum += in.read();
      in.close();
      if (sum == 0) throw new IOException("empty");
    }
  }
}
