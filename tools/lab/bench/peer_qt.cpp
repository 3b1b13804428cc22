// Draws circles with Qt's raster engine; see peer.h.
#include <QImage>
#include <QPainter>

#include "tools/lab/bench/peer.h"

int main(int argc, char** argv) {
  using roundel::peer::Circle;
  return roundel::peer::time_drawing(argc, argv, [](int side, bool antialias) {
    return [antialias, image = QImage(side, side, QImage::Format_ARGB32_Premultiplied)](
               const std::vector<Circle>& circles) mutable {
      image.fill(Qt::white);
      QPainter painter(&image);
      painter.setPen(Qt::NoPen);
      painter.setRenderHint(QPainter::Antialiasing, antialias);
      for (const Circle& circle : circles) {
        painter.setBrush(
            QColor::fromRgbF(circle.red, circle.green, circle.blue, roundel::peer::kAlpha));
        painter.drawEllipse(QPointF(circle.x, circle.y), circle.radius, circle.radius);
      }
    };
  });
}
