/* Lines in Java: Words CASE [cured]. */
import java.awt.image.BufferedImage;
import java.io.*;
import java.util.zip.*;
import javax.imageio.ImageIO;

class Words {
  static class Item implements Serializable {
    int number;
    double price;
    String note;
  }

  static void objects(boolean cured) throws IOException {
    OutputStream file = new BufferedOutputStream(new FileOutputStream("items"), 1 << 16);
    ObjectOutputStream all = cured ? null : new ObjectOutputStream(file);
    DataOutputStream out = new DataOutputStream(file);
    for (int i = 0; i < 300000; i++) {
      Item one = new Item();
      one.number = i;
      one.price = i / 100.0;
      one.note = "n" + i;
      if (cured) {
        out.writeInt(one.number);
        out.writeDouble(one.price);
        out.writeUTF(one.note);
      } else {
        all.writeObject(one);
        all.reset();
      }
    }
    (cured ? out : all).close();
  }

  static void packed(boolean cured) throws IOException {
    OutputStream gzip = new GZIPOutputStream(new FileOutputStream("values.gz"));
    if (cured) gzip = new BufferedOutputStream(gzip, 1 << 16);
    DataOutputStream out = new DataOutputStream(gzip);
    for (int i = 0; i < 12000000; i++) out.writeByte(i % 97 == 0 ? i >> 7 : 3);
    out.close();
  }

  static void unpacked(boolean cured) throws IOException {
    if (!new File("values.gz").exists()) packed(true);
    InputStream gzip = new GZIPInputStream(new FileInputStream("values.gz"), 512);
    if (cured) gzip = new BufferedInputStream(gzip, 1 << 16);
    DataInputStream in = new DataInputStream(gzip);
    long sum = 0;
    for (int i = 0; i < 12000000 / 4; i++) sum += in.readInt();
    in.close();
    if (sum == 0) throw new IOException("no values");
  }

  static void images(boolean cured) throws IOException {
    ImageIO.setUseCache(!cured);
    BufferedImage image = new BufferedImage(8, 8, BufferedImage.TYPE_INT_RGB);
    for (int i = 0; i < 1500; i++) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      ImageIO.write(image, "png", out);
      image = ImageIO.read(new ByteArrayInputStream(out.toByteArray()));
    }
  }

  public static void main(String[] words) throws IOException {
    boolean cured = words.length > 1;
    if (words[0].equals("lines-out")) {
      OutputStream out = new FileOutputStream("log");
      if (cured) out = new BufferedOutputStream(out, 1 << 16);
      for (int i = 0; i < 400000; i++) out.write(("line " + i + "\n").getBytes());
      out.close();
    } else if (words[0].equals("values-to-gzip")) {
      packed(cured);
    } else if (words[0].equals("images-cached")) {
      images(cured);
    } else if (words[0].equals("values-of-gzip")) {
      unpacked(cured);
    } else if (words[0].equals("scanner")) { // input has words and numbers
      long found = 0;
      File lines = new File("lines.txt");
      if (!new File("input").renameTo(lines)) throw new IOException("input");
      java.util.Scanner in = new java.util.Scanner(lines);
      while (in.hasNext()) found += in.next().length();
      in.close();
      if (found == 0) throw new IOException("empty");
    } else if (words[0].equals("objects-out")) {
      objects(cured);
    } else if (words[0].equals("count-words") || words[0].equals("large-reader")) {
      long found = 0;
      int size = words[0].equals("large-reader") ? 1 << 16 : 1 << 13;
      BufferedReader in = new BufferedReader(new FileReader("input"), size);
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        for (int i = 0; i < line.length(); i++) if (line.charAt(i) == ' ') found++;
      }
      in.close();
      if (found == 0) throw new IOException("empty");
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
